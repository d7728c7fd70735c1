import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { type Contents, ServerConnection } from "@jupyterlab/services";
import { afterEach, describe, expect, it } from "vitest";
import { fetchFile } from "../../js_src/homes/lab/server_file";

const MAX_BYTES = 1_000;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Fetch a file from a server that answers so. */
async function fetched(answer: RequestListener): Promise<Blob> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "localhost", done));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://localhost:${port}/`;
  const contents = {
    getDownloadUrl: (path: string) => Promise.resolve(`${baseUrl}${path}`),
  } as unknown as Contents.IManager;
  const settings = ServerConnection.makeSettings({ baseUrl, fetch });
  const { signal } = new AbortController();
  return fetchFile(contents, settings, "runs/a.daskscope", signal, MAX_BYTES);
}

const bytes = (count: number) => Buffer.alloc(count, 7);

describe("a file of the server", () => {
  it("is taken as it is, up to the limit", async () => {
    const said = await fetched((_, response) => response.end(bytes(MAX_BYTES)));
    expect(said.size).toBe(MAX_BYTES);
    const chunked = await fetched((_, response) => {
      response.write(bytes(400));
      response.end(bytes(600));
    });
    expect(chunked.size).toBe(MAX_BYTES);
  });

  it("is refused beyond it, also where the server does not say how large it is", async () => {
    const tooLarge = /a\.daskscope is too large/;
    await expect(
      fetched((_, response) => response.end(bytes(MAX_BYTES + 1))),
    ).rejects.toThrow(tooLarge);
    await expect(
      fetched((_, response) => {
        response.setHeader("Content-Encoding", "gzip");
        response.end(gzipSync(bytes(50 * MAX_BYTES)));
      }),
    ).rejects.toThrow(tooLarge);
  });

  it("says so when the server breaks off", async () => {
    const broken: RequestListener = (_, response) => {
      response.write(bytes(400), () => response.destroy());
    };
    await expect(fetched(broken)).rejects.toThrow(/did not send a\.daskscope/);
    await expect(
      fetched((_, response) => {
        response.statusCode = 404;
        response.end();
      }),
    ).rejects.toThrow(/no longer exists/);
  });
});
