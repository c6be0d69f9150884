/** The commands that README tells, and the time that it says for the first of them. Pure. */

/** Those of the blocks below a heading, one a line, without the remarks behind them. */
export function readmeCommands(readme: string, heading: string): string[] {
  const [, section] = readme.split(`\n## ${heading}\n`);
  if (section === undefined) throw new Error(`README has no "${heading}"`);
  const [own = ''] = section.split('\n## ');
  const blocks = [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  return blocks
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => line.replace(/\s+#.*$/, ''));
}

/** In an order in which each can run: `npm test` compiles for long, so what needs less comes before it. */
export function commandsToJudge(readme: string): string[] {
  const first = readmeCommands(readme, 'Three commands');
  const [makesPackages = ''] = readmeCommands(readme, 'Install');
  const isLast = (command: string) => command === 'npm test';
  return [...first.filter((one) => !isLast(one)), makesPackages, ...first.filter(isLast)];
}

/** "(six and a half minutes on a machine with two cores, …)" */
export function saidTime(readme: string): string {
  const [, said] = /\(([\w ]+ minutes) on a machine with two cores/.exec(readme) ?? [];
  if (said === undefined) throw new Error('README says no time for the first run');
  return said;
}
