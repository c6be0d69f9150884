/** What a machine must have and npm cannot install: Rust and a C compiler. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** `rust-version` of native/Cargo.toml */
const oldestRust = [1, 88];

/**
 * @typedef {object} Missing
 * @property {string} what
 * @property {string} how
 */

/**
 * @param {string[]} components rustup components needed beside cargo
 * @returns {Missing[]}
 */
export function missingTools(components) {
  findRustupsOwnFolder();
  const missing = missingOfRust(components);
  if (!hasCompiler())
    missing.push({
      what: 'a C compiler (the TLS library is partly C)',
      how: howToGetC[platform()],
    });
  return missing;
}

/**
 * @param {string[]} components
 * @returns {Missing[]}
 */
function missingOfRust(components) {
  const cargo = spawnSync('cargo', ['--version'], { encoding: 'utf8' });
  const version = rustVersion(cargo.stdout);
  if (!version) return [whyNoRust(cargo)];
  if (isOlder(version, oldestRust)) {
    const what = `Rust ${oldestRust.join('.')} or newer (this is ${version.join('.')})`;
    return [{ what, how: 'rustup update stable' }];
  }
  return components
    .filter((name) => !output(name === 'clippy' ? 'clippy-driver' : name, ['--version']))
    .map((name) => ({ what: name, how: `rustup component add ${name}` }));
}

/**
 * rustup puts a cargo into PATH that works only where a toolchain was chosen.
 * @param {{ error?: Error | undefined, stderr: string | null }} cargo how `cargo --version` went
 * @returns {Missing}
 */
export function whyNoRust({ error, stderr }) {
  if (error) return { what: 'Rust (cargo was not found)', how: howToGetRust[platform()] };
  const said = stderr ?? '';
  if (/no default is configured|no default toolchain/.test(said))
    return { what: 'a Rust toolchain (rustup is there, with none)', how: 'rustup default stable' };
  const [first = ''] = said.trim().split('\n');
  return { what: `Rust (cargo does not run: ${first})`, how: howToGetRust[platform()] };
}

/** @param {Missing[]} missing */
export function report(missing) {
  return [
    'Something is missing on this machine:',
    ...missing.flatMap(({ what, how }) => ['', `  ${what}`, `    ${how}`]),
    '',
    'Then run the same command again. cmake, OpenSSL and Python are not needed.',
  ].join('\n');
}

/**
 * @param {string | undefined} text what `cargo --version` printed
 * @returns {number[] | undefined} major and minor
 */
export function rustVersion(text) {
  const match = /^cargo (\d+)\.(\d+)/.exec(text ?? '');
  return match ? [Number(match[1]), Number(match[2])] : undefined;
}

/**
 * @param {number[]} version
 * @param {number[]} oldest
 */
export function isOlder([major = 0, minor = 0], [oldestMajor = 0, oldestMinor = 0]) {
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/** rustup's installer tells people to open a new terminal, which not everybody does. */
function findRustupsOwnFolder() {
  const folder = join(homedir(), '.cargo', 'bin');
  if (output('cargo', ['--version']) === undefined && existsSync(folder))
    process.env['PATH'] = `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** On Windows compilers are not in PATH; the Rust build finds them, or reports that itself. */
function hasCompiler() {
  if (platform() === 'windows') return true;
  const named = process.env['CC'];
  const candidates = named ? [named] : ['cc', 'gcc', 'clang'];
  return candidates.some((name) => output(name, ['--version']) !== undefined);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {string | undefined} undefined when it cannot be run
 */
function output(program, args) {
  const result = spawnSync(program, args, { encoding: 'utf8' });
  return result.error || result.status !== 0 ? undefined : result.stdout.trim();
}

/** @returns {'linux' | 'mac' | 'windows'} */
function platform() {
  if (process.platform === 'win32') return 'windows';
  return process.platform === 'darwin' ? 'mac' : 'linux';
}

const rustup = 'curl https://sh.rustup.rs -sSf | sh   (what it does: https://rustup.rs)';

const howToGetRust = {
  linux: rustup,
  mac: `${rustup}   or: brew install rust`,
  windows: 'winget install Rustlang.Rustup',
};

const howToGetC = {
  linux: 'apt-get install gcc libc6-dev   ·   dnf install gcc   ·   apk add build-base',
  mac: 'xcode-select --install',
  windows: 'winget install Microsoft.VisualStudio.2022.BuildTools',
};
