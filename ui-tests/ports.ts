const FIRST = Number(process.env["DASKSCOPE_TEST_PORT"] ?? "8889");

/** A server for each of the processes that run tests: kernels of one are not seen in another. */
export const PORTS = [FIRST, FIRST + 2];

/** A port that a test may use for a server of its own. */
export const FREE_PORT = FIRST + 1;
