/** node_modules as package-lock.json says, installed only when one of them changed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { run } from './child.mjs';
import { packagedNode } from './packaged-node.mjs';
import { inRoot, root } from './places.mjs';

/** Packages that want Node 22 get Node 24; warning of the machine's own Node would only mislead. */
const quietly = ['--loglevel=error'];

const stamp = inRoot('target', 'installed-packages');

/** @returns {Promise<boolean>} */
export async function installPackages() {
  if (!isInstalled()) {
    console.log('▸ packages: npm ci (about a minute on a first run; Node 24 is one of them)');
    const ended = await npm(['ci', '--foreground-scripts', ...quietly]);
    if (ended.code !== 0) {
      console.error('npm could not install the packages; its own message is above.');
      return false;
    }
    mkdirSync(dirname(stamp), { recursive: true });
    writeFileSync(stamp, lockfileDigest());
  }
  return packagedNode() !== undefined || (await rebuildNode());
}

function isInstalled() {
  return (
    existsSync(inRoot('node_modules', '.package-lock.json')) &&
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === lockfileDigest()
  );
}

function lockfileDigest() {
  return createHash('sha256')
    .update(readFileSync(inRoot('package-lock.json')))
    .digest('hex');
}

/** Some machines are set never to run install scripts; this one is approved by name in package.json. */
async function rebuildNode() {
  console.log('▸ packages: the install script of `node` did not run; running it by name');
  await npm(['rebuild', 'node', '--ignore-scripts=false', '--foreground-scripts', ...quietly]);
  if (packagedNode()) return true;
  console.error(
    'Node 24 is still missing. Run `npm rebuild node --ignore-scripts=false` and read its output.',
  );
  return false;
}

/**
 * npm says where it lives when it started us; its own Node, because `npm ci` deletes the packaged one.
 * @param {string[]} args
 */
function npm(args) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script && node) return run(node, [script, ...args], { cwd: root });
  return run('npm', args, { cwd: root, shell: process.platform === 'win32' });
}
