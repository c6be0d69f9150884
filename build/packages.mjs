/** Installs node_modules from package-lock.json, only when one of them has changed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { run } from './child.mjs';
import { packagedNode } from './packaged-node.mjs';
import { inRoot, root } from './places.mjs';
import { platforms, thisPlatform, whyNotLocked } from './shipped-lock.mjs';

const stamp = inRoot('target', 'installed-packages');

/** @returns {Promise<boolean>} */
export async function installPackages() {
  if (isInstalled()) return true;
  console.log('▸ packages: npm ci, then Node 24 (under a minute)');
  const installed = (await npm(['ci', '--ignore-scripts'])) && (await runApprovedScripts());
  if (!installed) {
    console.error('npm could not install the packages; its own message is above.');
    return false;
  }
  const unlocked = whyNotTheLockedNode();
  if (unlocked !== null) {
    console.error(unlocked);
    return false;
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, lockfileDigest());
  return true;
}

function isInstalled() {
  return (
    packagedNode() !== undefined &&
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

/** The `node` package downloads its binary past the lockfile, so the binary is checked before it runs. */
function whyNotTheLockedNode() {
  const node = packagedNode();
  if (node === undefined) return 'node_modules/node holds no binary';
  return platforms.includes(thisPlatform) ? whyNotLocked('node', node) : null;
}

/** Only packages that `allowScripts` in package.json names may run scripts at install time, in every version of npm. */
async function runApprovedScripts() {
  /** @type {{ allowScripts: Record<string, boolean> }} */
  const { allowScripts } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const approved = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  return npm(['rebuild', ...approved, '--ignore-scripts=false', '--foreground-scripts']);
}

/**
 * npm passes its own path to scripts. It runs on its own Node, because `npm ci` deletes the packaged one. Warnings are hidden:
 * packages that need Node 22 do get Node 24.
 * @param {string[]} args
 */
async function npm(args) {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  const all = [...args, '--loglevel=error'];
  const { code } =
    script && node
      ? await run(node, [script, ...all], { cwd: root })
      : await run('npm', all, { cwd: root, shell: process.platform === 'win32' });
  return code === 0;
}
