/**
 * The Unix socket itself: its path, its permissions, and what an earlier service left behind. One person's socket is 0600, in a
 * folder that only its owner may enter. The machine's is 0666, in a folder that only its owner may change: the peer's account
 * decides what it may do there (peer-role.ts).
 */
import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { connectToService } from '../../service-client/service-client.ts';
import { sayErrno } from '../base/errno-words.ts';
import { makePrivateFolder } from '../base/private-folder.ts';
import type { ServiceMode } from './peer-role.ts';

/** sun_path has 108 octets, the last one a zero. */
const longestPath = 107;

export function checkSocketPath(path: string): Result<null> {
  const octets = Buffer.byteLength(path);
  if (octets <= longestPath) return succeed(null);
  return fail(
    'socket-path-too-long',
    `the control socket's path has ${octets} octets, and the system allows ${longestPath}: ${path}`,
    'set SOTTO_HOME or XDG_RUNTIME_DIR to a shorter path',
    path,
  );
}

/** Fails where another service listens at the socket, and says which. */
export async function checkNotRunning(path: string): Promise<Result<null>> {
  const other = await connectToService(path, 'sotto run');
  if (other.ok) {
    other.value.close();
    return alreadyRunning(`Sotto is already running, pid ${other.value.hello.pid}`, path);
  }
  // A program that accepted the connection but answers differently is alive, too.
  const dead = other.failure.code === 'not-running' || other.failure.code === 'forbidden';
  return dead ? succeed(null) : alreadyRunning('another Sotto is already running', path);
}

export async function listenOnSocket(
  server: Server,
  path: string,
  mode: ServiceMode = 'user',
): Promise<Result<null>> {
  const running = await checkNotRunning(path);
  if (!running.ok) return running;
  const folder = mode === 'system' ? makeSharedFolder(dirname(path)) : succeed(null);
  if (!folder.ok) return folder;
  try {
    makePrivateFolder(dirname(path));
    removeStale(path);
    await bind(server, path, mode === 'system' ? 0o666 : 0o600);
  } catch (error) {
    return fail(
      'listen-failed',
      `can't make the control socket ${path}: ${sayErrno(error)}`,
      'check who owns its folder',
      path,
    );
  }
  return succeed(null);
}

/** Every account may enter. Another account that could change the folder could put a socket of its own in place of ours. */
function makeSharedFolder(folder: string): Result<null> {
  const own = process.getuid?.() ?? 0;
  try {
    makePrivateFolder(dirname(folder));
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) {
      mkdirSync(folder);
      chmodSync(folder, 0o755);
    }
    const { uid, mode } = lstatSync(folder);
    if ((uid === 0 || uid === own) && (mode & 0o022) === 0) return succeed(null);
    return fail(
      'listen-failed',
      `others may change ${folder}, where the control socket belongs`,
      'make it belong to root, with mode 0755',
      folder,
    );
  } catch (error) {
    return fail(
      'listen-failed',
      `can't make ${folder}: ${sayErrno(error)}`,
      'check who owns the folder above it',
      folder,
    );
  }
}

function removeStale(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** The mask closes the moment between bind and chmod; Node binds a path within the call. */
function bind(server: Server, path: string, permissions: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const mask = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.off('error', reject);
        chmodSync(path, permissions);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

function alreadyRunning(message: string, path: string): Result<never> {
  return fail(
    'already-running',
    message,
    'use it, stop it first, or give this one another folder with SOTTO_HOME',
    path,
  );
}
