/** The contract's methods `coverage.fixes`, `coverage.fix` and `coverage.undo`. */
import { succeed } from '../../../contract/errors.ts';
import type { ServiceHandlers, ServiceSession } from '../../../contract/service-api.ts';
import type { Journal } from '../../logging/journal.ts';
import type { Fixes } from './fixes.ts';

interface FixHandlerParts {
  fixes: Fixes;
  journal: Pick<Journal, 'note'>;
  whoIs(session: ServiceSession): string;
}

type FixHandlers = Pick<ServiceHandlers, 'coverage.fixes' | 'coverage.fix' | 'coverage.undo'>;

export function createFixHandlers({ fixes, journal, whoIs }: FixHandlerParts): FixHandlers {
  const names = (files: readonly { file: string }[]) => files.map(({ file }) => file);

  return {
    'coverage.fixes': async () => {
      const listed = await fixes.list();
      return listed.ok ? succeed({ fixes: listed.value }) : listed;
    },
    'coverage.fix': async ({ fix, dryRun = false }, session) => {
      const fixed = await fixes.fix(fix, dryRun);
      if (fixed.ok && !dryRun) {
        const { files, proved } = fixed.value;
        journal.note('coverage-fixed', { fix, files: names(files), proved, who: whoIs(session) });
      }
      return fixed;
    },
    'coverage.undo': async ({ fix }, session) => {
      const undone = await fixes.undo(fix);
      if (undone.ok && undone.value.files.length > 0)
        journal.note('coverage-undone', {
          fix,
          files: names(undone.value.files),
          who: whoIs(session),
        });
      return undone;
    },
  };
}
