import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { listenOnSocket } from './control-socket.ts';

let folder: TestFolder;
let path: string;
let server: Server;

beforeEach(() => {
  folder = testFolder();
  path = join(folder.path, 'run', 'control.sock');
  server = createServer();
});
afterEach(() => {
  server.close();
  folder.remove();
});

test("the machine's socket is everybody's to connect to, and its folder the owner's to change", async () => {
  expect(await listenOnSocket(server, path, 'system')).toEqual(succeed(null));
  expect(statSync(path).mode & 0o777).toBe(0o666);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o755);
});

test('a folder that others may change is refused', async () => {
  mkdirSync(dirname(path));
  chmodSync(dirname(path), 0o775);
  expect(await listenOnSocket(server, path, 'system')).toMatchObject({
    failure: {
      code: 'listen-failed',
      subject: dirname(path),
      remedy: expect.stringContaining('mode 0755'),
    },
  });
});
