/** The output of a command, and what its destination can show. */
import { styleText } from 'node:util';
import { exitCodes } from '../exit-codes.ts';

export interface Terminal {
  /** A line, without its end. */
  out(line: string): void;
  error(line: string): void;
  /** Writes text as it is; resolves when there is room for more. */
  pour(text: Uint8Array): Promise<void>;
  paint(format: Paint, text: string): string;
  /** a person reads the output */
  interactive: boolean;
  /** columns; null where lines may be of any length */
  width: number | null;
}

export type Paint = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

interface Stream {
  write(text: string | Uint8Array, done?: () => void): unknown;
  isTTY?: boolean;
  columns?: number;
}

export function openTerminal(
  stdout: Stream,
  stderr: Stream,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const colour =
    stdout.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return {
    out: (line) => stdout.write(`${line}\n`),
    error: (line) => stderr.write(`${line}\n`),
    pour: (text) => new Promise((resolve) => stdout.write(text, () => resolve())),
    paint: (format, text) => (colour ? styleText(format, text, { validateStream: false }) : text),
    interactive: stdout.isTTY === true,
    width: stdout.isTTY === true ? (stdout.columns ?? null) : null,
  };
}

/** A reader that went away (`sotto log --follow | head`) is no error; a full disk is. Either way the work ends with it. */
export function endWithoutReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`sotto: what was asked for could not be written: ${error.message}\n`);
    process.exit(exitCodes.failed);
  });
}
