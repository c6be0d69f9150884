/** The table that grows while programs are measured: a row for each program and round, and each cell as soon as it is known. */
import { type Figure, type FigureKey, figures, type Group } from './figures.ts';
import { shown } from './numbers.ts';
import type { Visit } from './visit.ts';

const nameWidth = 18;
const cellWidth = 10;

export class Progress {
  readonly #columns: Figure[];
  #filled = 0;

  constructor(groups: ReadonlySet<Group>) {
    this.#columns = figures.filter(({ group }) => groups.has(group));
  }

  head(): void {
    const titles = this.#columns.map(({ short }) => short.padStart(cellWidth));
    console.log(`\n${'round'.padEnd(6)}${'program'.padEnd(nameWidth)}${titles.join('')}`);
  }

  open(round: number, rounds: number, title: string): void {
    this.#filled = 0;
    process.stdout.write(`${`${round + 1}/${rounds}`.padEnd(6)}${title.padEnd(nameWidth)}`);
  }

  cell(key: FigureKey, value: number): void {
    const at = this.#columns.findIndex((figure) => figure.key === key);
    const figure = this.#columns[at];
    if (figure === undefined) return;
    this.#skipTo(at);
    process.stdout.write(shown(value, figure.digits).padStart(cellWidth));
    this.#filled = at + 1;
  }

  close(visit: Visit): void {
    this.#skipTo(this.#columns.length);
    console.log(visit.failures.length === 0 ? '' : '  FAILED');
    for (const failure of visit.failures) console.log(`      ${inWords(failure)}`);
    if (visit.error !== undefined) console.log(`      ${visit.error}`);
  }

  #skipTo(column: number): void {
    if (column > this.#filled)
      process.stdout.write('–'.padStart(cellWidth).repeat(column - this.#filled));
    this.#filled = column;
  }
}

export function inWords({ run, asked, lost, failed, dropped }: Visit['failures'][number]): string {
  const parts = [
    lost > 0
      ? `${lost} lost (dropped by the kernel: ${dropped.atPort} at its socket, ${dropped.everywhere} at all sockets of the machine)`
      : '',
    failed > 0 ? `${failed} answered with an error or without data` : '',
  ];
  return `${run}: of ${asked} queries ${parts.filter(Boolean).join(', ')}`;
}
