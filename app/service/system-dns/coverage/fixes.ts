/** Closes coverage gaps by the helper, which writes and remembers; each fix is proved here afterwards. */
import { type Result, succeed } from '../../../contract/errors.ts';
import { type Said, say } from '../../../contract/sentences/sentence.ts';
import type { FixNow, FixResult, UndoResult } from '../../../contract/system/coverage-fix.ts';
import type { CoverageFix } from '../../../contract/system/coverage-fixes.ts';
import type { HelperRequest } from '../../../contract/system/helper-protocol.ts';
import type { Helper, HelperAnswer } from '../helper.ts';
import { type ProofParts, unprovedBy } from './prove-fix.ts';

export interface Fixes {
  list(): Promise<Result<FixNow[]>>;
  fix(fix: CoverageFix, dryRun: boolean): Promise<Result<FixResult>>;
  undo(fix: CoverageFix): Promise<Result<UndoResult>>;
}

interface FixParts extends ProofParts {
  helper: Helper;
}

const programs: Readonly<Record<CoverageFix, string>> = {
  firefox: 'Firefox',
  chromium: 'Chromium',
  chrome: 'Chrome',
  edge: 'Edge',
  brave: 'Brave',
  'network-manager': 'NetworkManager',
  docker: 'Docker',
};

export function createFixes(parts: FixParts): Fixes {
  async function ask<Word extends Answered>(
    request: HelperRequest,
    word: Word,
  ): Promise<Result<Extract<HelperAnswer, Record<Word, unknown>>>> {
    const answer = await parts.helper.ask(request);
    if (!answer.ok) return answer;
    if (word in answer.value)
      return succeed(answer.value as Extract<HelperAnswer, Record<Word, unknown>>);
    throw new Error(`the helper said something else to ${request.verb}`);
  }

  async function list(): Promise<Result<FixNow[]>> {
    const answer = await ask({ verb: 'fixes' }, 'fixes');
    if (!answer.ok) return answer;
    return succeed(
      answer.value.fixes.map(({ refused, ...now }) => ({
        ...now,
        refused: refused === null ? null : { message: refused.message, remedy: refused.remedy },
      })),
    );
  }

  /** All files count, also those that said it before. */
  async function prove(fix: CoverageFix): Promise<Result<{ proved: boolean; says: Said }>> {
    const listed = await list();
    if (!listed.ok) return listed;
    const written = listed.value.find((now) => now.fix === fix)?.files ?? [];
    const unproved = await unprovedBy(fix, written, parts);
    return succeed({
      proved: unproved === null,
      says: unproved === null ? works(fix) : mayNotWork(fix, unproved),
    });
  }

  return {
    list,
    async fix(fix, dryRun) {
      const answer = await ask({ verb: 'fix', fix, dry: dryRun }, 'fixed');
      if (!answer.ok) return answer;
      const { files } = answer.value.fixed;
      if (dryRun) return succeed({ fix, files, proved: null, says: say('fix-dry') });
      const proof = await prove(fix);
      return proof.ok ? succeed({ fix, files, ...proof.value }) : proof;
    },
    async undo(fix) {
      const answer = await ask({ verb: 'undo-fix', fix }, 'undone');
      if (!answer.ok) return answer;
      const files = answer.value.undone.flatMap((undone) => undone.files);
      return succeed({ fix, files, says: undone(fix, files) });
    },
  };
}

type Answered = 'fixed' | 'undone' | 'fixes';

function works(fix: CoverageFix): Said {
  switch (fix) {
    case 'network-manager':
      return say('fix-proved-network-manager');
    case 'docker':
      return say('fix-proved-docker');
    case 'firefox':
      return say('fix-proved-at-start', { program: programs[fix] });
    default:
      return say('fix-proved', { program: programs[fix] });
  }
}

function mayNotWork(fix: CoverageFix, by: string): Said {
  switch (fix) {
    case 'network-manager':
      return say('fix-not-proved-network-manager', { fix });
    case 'docker':
      return say('fix-not-proved-docker', { address: by, fix });
    default:
      return say('fix-not-proved', { program: programs[fix], file: by, fix });
  }
}

function undone(fix: CoverageFix, files: UndoResult['files']): Said {
  if (files.length === 0) return say('fix-nothing-to-undo');
  const left = files.filter(({ outcome }) => outcome === 'changed-since').map(({ file }) => file);
  if (left.length > 0) return say('fix-undone-except', { file: left.join(', ') });
  return say(fix === 'docker' ? 'fix-undone-docker' : 'fix-undone');
}
