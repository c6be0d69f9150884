/** One named step, which prints only its name, progress and duration unless it fails. */
import { run } from './child.mjs';
import { root } from './places.mjs';

export interface Step {
  name: string;
  command: string[];
  /** what to type to run this step by itself */
  alone: string;
}

const heartbeat = 10_000;

/** Resolves to whether it succeeded; the output of a failed step has been printed by then. */
export async function runStep(step: Step, env: NodeJS.ProcessEnv): Promise<boolean> {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  const output: string[] = [];
  const beat = setInterval(() => {
    console.log(`  … ${step.name}, ${seconds()}${lastLine(output)}`);
  }, heartbeat);

  const [program = '', ...args] = step.command;
  const { code } = await run(program, args, { cwd: root, env }, (text) => output.push(text));
  clearInterval(beat);

  console.log(`${code === 0 ? '✓' : '✗'} ${step.name.padEnd(32)} ${seconds().padStart(8)}`);
  if (code !== 0) console.log(output.join('').trimEnd());
  return code === 0;
}

function lastLine(output: string[]): string {
  const line = output.join('').trimEnd().split('\n').at(-1)?.trim();
  return line ? `: ${line.slice(0, 60)}` : '';
}
