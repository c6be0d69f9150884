#!/usr/bin/env node
/**
 * `npm start`, `npm run demo`, `npm test` and `npm run check` begin here: this makes what is missing, then continues on the
 * packaged Node 24. Plain JavaScript, because it runs before anything is installed.
 */
const oldestNode = 20;
const found = Number(process.versions.node.split('.')[0]);

if (found < oldestNode) {
  console.error(
    `sotto needs Node.js ${oldestNode} or newer to install itself; this is ${process.version}.`,
  );
  console.error('Get a current release from https://nodejs.org or your package manager.');
  process.exit(1);
}

const { prepare } = await import('./prepare.mjs');
const { runNode24 } = await import('./packaged-node.mjs');
const { commands, usage } = await import('./commands.mjs');

const [name = '', ...rest] = process.argv.slice(2);
const command = commands[name];
if (!command) {
  console.error(usage);
  process.exit(2);
}

if (!(await prepare(command))) process.exit(1);
await runNode24([...command.script, ...rest], command.flags);
