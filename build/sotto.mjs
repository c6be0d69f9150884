#!/usr/bin/env node
/** The `sotto` command: the command line of app/cli on Node 24, as if there were no launcher. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { passThrough } from './child.mjs';
import { packagedNode } from './packaged-node.mjs';
import { addon, commandLine } from './places.mjs';

const node = packagedNode();

if (!node || !existsSync(addon)) {
  console.error(
    `sotto is not built here yet (no ${node ? 'addon' : 'node_modules'}): run npm start once.`,
  );
  process.exitCode = 1;
} else if (Number(process.versions.node.split('.')[0]) >= 24) {
  process.argv[1] = commandLine;
  await import(pathToFileURL(commandLine).href);
} else {
  await passThrough(node, [commandLine, ...process.argv.slice(2)]);
}
