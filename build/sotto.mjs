#!/usr/bin/env node
/** The `sotto` command: runs the command line of app/cli on Node 24, without a visible launcher. */
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { passThrough } from './child.mjs';
import { packagedNode } from './packaged-node.mjs';
import { addon, commandFlags, commandLine, nodeFlags, staying } from './places.mjs';

const node = packagedNode();

if (!node || !existsSync(addon)) {
  console.error(
    `sotto is not built here yet (no ${node ? 'addon' : 'node_modules'}): run npm start once.`,
  );
  process.exitCode = 1;
} else if (Number(process.versions.node.split('.')[0]) >= 24) {
  const program = commandLine();
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
} else {
  const words = process.argv.slice(2);
  const flags = staying.includes(words[0] ?? '') ? nodeFlags : commandFlags;
  await passThrough(node, [...flags, commandLine(), ...words]);
}
