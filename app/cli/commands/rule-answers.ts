/** `sotto rule believe` and `disbelieve`: a person's answer to a link's claim that a domain is its own. */
import type { Command } from 'commander';
import { plainName } from '../../contract/query-log/log-filter-words.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from '../command-line.ts';
import { defineCommand } from '../define-command.ts';
import { badUsage, unwrap } from '../failure.ts';
import { sayClaim } from '../render/rules.ts';
import { print } from '../terminal/print.ts';
import { readDomainName } from '../terminal/read-name.ts';

interface AnswerOptions extends CommonOptions {
  link?: string;
}

export const aboutLearning = `VPN links bring the names of their domains along, and take them with them when they go. What other networks say is theirs is
believed only when you say so; the answer is remembered for the network (see "learnRules" in "sotto config explain").`;

const answers = [
  {
    name: 'believe',
    believe: true,
    description: 'Believe a link that a domain is its own: its names go to the link, in cleartext.',
  },
  {
    name: 'disbelieve',
    believe: false,
    description: 'Do not believe it: the names are asked privately, like all others.',
  },
];

export function defineAnswers(command: Command, line: CommandLine): void {
  for (const { name, believe, description } of answers)
    defineCommand(command, {
      name,
      arguments: [['<domain>', 'as "sotto rule list" names it']],
      options: [['--link <link>', 'of the links that claim it, which one']],
      description,
      examples: `  sotto rule ${name} corp.example`,
      more: aboutLearning,
      run: ([domain]: [string], options: AnswerOptions) =>
        answerClaim(line, { suffix: plainName(readDomainName(domain)), believe }, options),
    });
}

async function answerClaim(
  line: CommandLine,
  { suffix, believe }: { suffix: string; believe: boolean },
  options: AnswerOptions,
): Promise<void> {
  const answered = await withService(line, options, async (service) => {
    const { claims } = unwrap(await service.call('rule.list', {}));
    const links = claims.filter((claim) => claim.suffix === suffix).map((claim) => claim.link);
    if (options.link === undefined && links.length > 1)
      throw badUsage(`${links.join(', ')} claim it`, 'say which: --link');
    const link = options.link ?? links[0] ?? 'any';
    return unwrap(await service.call('rule.answer', { suffix, link, believe }));
  });
  print(line.terminal, options, answered, () => safe(sayClaim(answered)));
}
