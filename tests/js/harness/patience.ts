// Lets `vi.waitFor` wait as long as `expect.poll` does: a second is little beside other tests.

import { vi } from "vitest";

const { waitFor } = vi;
vi.waitFor = (condition, options = 15_000) => waitFor(condition, options);
