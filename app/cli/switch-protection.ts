/** What `on`, `off` and `pause` have in common: one call, and the sentence that holds afterwards. */
import type { Result } from '../contract/errors.ts';
import type { ServiceClient } from '../contract/service-api.ts';
import type { ServiceStatus } from '../contract/service-status.ts';
import { safe, safeJson } from '../contract/visible-text.ts';
import { type CommandLine, type CommonOptions, withService } from './command-line.ts';
import { unwrap } from './failure.ts';

export async function switchProtection(
  line: CommandLine,
  options: CommonOptions,
  change: (service: ServiceClient) => Promise<Result<ServiceStatus>>,
): Promise<void> {
  const { protection, sentence } = await withService(line, options, async (service) =>
    unwrap(await change(service)),
  );
  line.terminal.out(options.json ? safeJson({ protection, sentence }) : safe(sentence));
}
