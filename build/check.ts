/** `npm run check`: everything that can be checked without running the program. */

import { cargoEnvironment, workspace } from './native.mjs';
import { runStep, type Step } from './step.ts';

const node = process.execPath;

const ofNode: Step[] = [
  {
    name: 'format, lint, import direction',
    command: [node, 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    alone: 'npx biome check .   (most of it repairs itself with --write)',
  },
  {
    name: 'types',
    command: [node, 'node_modules/typescript/bin/tsc', '-p', '.'],
    alone: 'npx tsc -p .',
  },
  {
    name: 'types of the page',
    command: [node, 'node_modules/typescript/bin/tsc', '-p', 'renderer'],
    alone: 'npx tsc -p renderer',
  },
  {
    name: 'unused code and dependencies',
    command: [node, 'node_modules/knip/bin/knip.js', '--no-progress'],
    alone: 'npx knip',
  },
  {
    name: 'retired identifiers',
    command: [node, 'build/retired-identifiers.ts'],
    alone: 'npx node build/retired-identifiers.ts',
  },
];

const clippy =
  'cargo clippy --release --manifest-path native/Cargo.toml --all-targets -- -D warnings';
/** Where clippy is the compiler, as in .ci/run, what is built anyway is linted by that. */
const lint: Step[] =
  process.env['RUSTC_WORKSPACE_WRAPPER'] === 'clippy-driver'
    ? [
        {
          name: 'Rust lint of the product',
          command: ['cargo', 'build', ...workspace],
          alone: clippy,
        },
        {
          name: 'Rust lint of the tests',
          command: ['cargo', 'test', ...workspace, '--no-run'],
          alone: clippy,
        },
      ]
    : [
        {
          name: 'Rust lint',
          command: ['cargo', 'clippy', ...workspace, '--all-targets', '--', '-D', 'warnings'],
          alone: clippy,
        },
      ];

/** These take about as long, and neither group keeps two cores busy. */
const ofCargo: Step[] = [
  {
    name: 'Rust format',
    command: ['cargo', 'fmt', '--all', '--manifest-path', 'native/Cargo.toml', '--check'],
    alone: 'cargo fmt --all --manifest-path native/Cargo.toml   (without --check it repairs)',
  },
  ...lint,
  {
    name: 'the boundary',
    command: [node, 'build/boundary.ts'],
    alone: 'npm run boundary   (writes the file anew)',
  },
];

const failed: Step[] = [];
const oneByOne = async (steps: Step[]) => {
  for (const step of steps) if (!(await runStep(step, cargoEnvironment()))) failed.push(step);
};
await Promise.all([oneByOne(ofNode), oneByOne(ofCargo)]);

for (const step of failed) console.log(`\n${step.name} failed; alone: ${step.alone}`);
const steps = ofNode.length + ofCargo.length;
console.log(
  failed.length === 0
    ? `\ncheck passed, ${steps} steps`
    : `\ncheck failed in ${failed.length} of ${steps} steps`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
