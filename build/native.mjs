/** One cargo build makes addon, guardian and server; the addon is then put where the service loads it. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { run } from './child.mjs';
import { addon, addonTypeLines, inRoot, root } from './places.mjs';

/** The parts that `npm start` and `npm run demo` need. */
const used = ['sotto-binding', 'sotto-guardian', 'sotto-server'];

/**
 * @param {boolean} usedOnly
 * @returns {Promise<boolean>}
 */
export async function buildNative(usedOnly) {
  if (!existsSync(addon))
    console.log(
      '▸ native: cargo build --release (minutes the first time, five to nine on two cores; seconds after)',
    );
  const crates = usedOnly ? used.flatMap((crate) => ['-p', crate]) : [];
  const ended = await run('cargo', ['build', ...workspace, ...crates], {
    cwd: root,
    env: cargoEnvironment(),
  });
  if (ended.code !== 0) {
    console.error('The native part did not build; the compiler’s message is above.');
    return false;
  }
  placeAddon();
  return true;
}

/** Flags of all our cargo calls, so that they share compiled dependencies. */
export const workspace = [
  '--release',
  '--locked',
  '--manifest-path',
  'native/Cargo.toml',
  '--target-dir',
  'target',
];

/**
 * napi-derive writes the addon's types into the folder named here. The environment is always the same, because a changed variable
 * compiles the binding anew. Where the types are missing the binding must be compiled; then the variable that forces this gets a
 * new value, and keeps it.
 */
export function cargoEnvironment() {
  mkdirSync(dirname(addonTypeLines), { recursive: true });
  if (!existsSync(addonTypeLines) || !existsSync(forcedAt))
    writeFileSync(forcedAt, `${Date.now()}`);
  return {
    ...process.env,
    NAPI_TYPE_DEF_TMP_FOLDER: dirname(addonTypeLines),
    NAPI_FORCE_BUILD_SOTTO_BINDING: readFileSync(forcedAt, 'utf8'),
  };
}

const forcedAt = `${addonTypeLines}.forced`;

function placeAddon() {
  const built = inRoot('target', 'release', libraryName());
  if (existsSync(addon) && readFileSync(addon).equals(readFileSync(built))) return;
  mkdirSync(dirname(addon), { recursive: true });
  const incoming = `${addon}.${process.pid}`;
  copyFileSync(built, incoming);
  renameSync(incoming, addon);
}

function libraryName() {
  if (process.platform === 'win32') return 'sotto_binding.dll';
  return process.platform === 'darwin' ? 'libsotto_binding.dylib' : 'libsotto_binding.so';
}
