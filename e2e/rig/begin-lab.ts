/** How the command of a lab begins: its help, its options, and whether this machine can run it. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { whyNoLab } from './available.ts';
import { endCommand } from './end-command.ts';

interface LabCommand<Options extends ParseArgsOptionsConfig> {
  /** `lab:name [--option N]`, then lines of explanation */
  usage: string;
  options?: Options;
  /** for needs beyond those of every lab; null: it can run here */
  whyNot?(): string | null;
}

/** Ends the process with 0 after help, 1 where the lab can't run, 2 after wrong usage. */
export function beginLab<const Options extends ParseArgsOptionsConfig>(lab: LabCommand<Options>) {
  const help = { help: { type: 'boolean', short: 'h', default: false } } as const;
  const usage = `${lab.usage}
Needs root, network namespaces, tshark, openssl and a C compiler. Run it on a machine that does nothing else.
Exit codes: 0 everything is as it must be, 1 something is not, 2 wrong usage.`;
  const values = read();
  if ('help' in values && values.help === true) endCommand(usage, 0);
  const reason = whyNoLab() ?? lab.whyNot?.() ?? null;
  if (reason !== null) endCommand(`can't run here: ${reason}`, 1);
  return values;

  function read() {
    try {
      return parseArgs({ options: { ...(lab.options as Options), ...help } }).values;
    } catch (error) {
      return endCommand(`${(error as Error).message}\n\n${usage}`, 2);
    }
  }
}
