/**
 * `npm run bench:encdns-matrix`: which resolvers carry EncDNS between the service and sotto-server, with 0x20 and QNAME minimisation on
 * and off. Writes docs/measurements/encdns-matrix.md; fails where a cell fails for a reason that nobody knows.
 */
import { parseArgs } from 'node:util';
import { whyMissing } from '../../e2e/rig/available.ts';
import type { CarrierKind } from '../../e2e/rig/carriers/carrier.ts';
import { carriers } from '../../e2e/rig/carriers/carriers.ts';
import { carry } from '../../e2e/rig/carriers/carry.ts';
import { resolvedVersion } from '../../e2e/rig/carriers/systemd-resolved.ts';
import { endCommand } from '../../e2e/rig/end-command.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { isUnpackedPackage } from '../../e2e/rig/unpacked.ts';
import { packageVersion } from '../debian.ts';
import { machineFacts } from '../machine-facts.ts';
import { type Column, columns, wayThrough } from './columns.ts';
import { type Cell, isUnexpected, markdown, type Row, shownCell } from './report.ts';

const names = 20;
const usage = `bench:encdns-matrix [--only WORD]
  --only WORD  the carriers whose title contains it; nothing is written then
Exit codes: 0 every cell works or fails for a known reason, 1 one does not, 2 wrong usage.`;

/** started programs end with this process */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

const only = readOnly();
const chosen = carriers.filter(({ title }) => title.includes(only));
if (chosen.length === 0) endCommand(`--only ${only}: no such carrier\n\n${usage}`, 2);
const began = new Date();
const machine = await machineFacts();
const rows: Row[] = [];
for (const kind of chosen) rows.push(await measure(kind));
const report = markdown({ date: began.toISOString().slice(0, 10), machine, names, rows });
console.log(report);
if (only === '') await keepMeasurement('encdns-matrix', report, { machine, names, rows });
process.exit(
  rows.some(({ title, cells }) => cells.some((cell) => isUnexpected(title, cell))) ? 1 : 0,
);

async function measure(kind: CarrierKind): Promise<Row> {
  const { title } = kind;
  const missing = kind.needs.map(whyMissing).find((why) => why !== null);
  if (missing !== undefined) return { title, version: '', missing, cells: [] };
  const cells: Cell[] = [];
  for (const column of columns) {
    const cell = await measureCell(kind, column);
    console.log(`${title}, ${column.title}: ${shownCell(title, cell)}`);
    cells.push(cell);
  }
  return { title, version: await version(kind), missing: null, cells };
}

async function measureCell(kind: CarrierKind, column: Column): Promise<Cell> {
  const way = wayThrough(kind, column);
  if (way === null) return { column: column.title, carried: null, broken: null };
  try {
    return { column: column.title, carried: await carry(way, names), broken: null };
  } catch (error) {
    return { column: column.title, carried: null, broken: (error as Error).message };
  }
}

async function version({ packages }: CarrierKind): Promise<string> {
  const each = packages.map((name) =>
    isUnpackedPackage(name) ? resolvedVersion() : packageVersion(name),
  );
  return (await Promise.all(each)).join(', ');
}

function readOnly(): string {
  try {
    return parseArgs({ options: { only: { type: 'string', default: '' } } }).values.only;
  } catch (error) {
    return endCommand(`${(error as Error).message}\n\n${usage}`, 2);
  }
}
