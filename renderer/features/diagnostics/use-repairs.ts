/** Repairs at a press: what the last one did, its way back, and an examination after each. */
import { useState } from 'react';
import type { CoverageFix } from '../../../app/contract/system/coverage-fixes.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';
import { carryOut, type Done } from './carry-out.ts';
import type { Remedy } from './remedy.ts';

export interface Repaired extends Omit<Done, 'what'> {
  what: Done['what'] | 'undone';
}

interface Repairs {
  last: Repaired | null;
  busy: boolean;
  /** the change to another program that a person is shown before it is made */
  fixing: CoverageFix | null;
  repair(remedy: Remedy): void;
  undo(): void;
  closeFix(): void;
}

export function useRepairs(examine: () => Promise<void>): Repairs {
  const { session } = useService();
  const [last, setLast] = useState<Repaired | null>(null);
  const [busy, setBusy] = useState(false);
  const [fixing, setFixing] = useState<CoverageFix | null>(null);

  async function inTurn(work: () => Promise<Repaired | null>): Promise<void> {
    setBusy(true);
    setLast(await work());
    setBusy(false);
    await examine();
  }

  async function repair(remedy: Exclude<Remedy, { method: 'coverage.fix' }>) {
    const carried = await carryOut(session, remedy);
    if (carried.ok) return carried.value && { ...carried.value, about: safe(carried.value.about) };
    tellFailure(carried.failure);
    return null;
  }

  async function takeBack(undo: NonNullable<Done['undo']>): Promise<Repaired | null> {
    const undone = await undo();
    if (undone.ok) return { what: 'undone', about: '', undo: null };
    tellFailure(undone.failure);
    return null;
  }

  return {
    last,
    busy,
    fixing,
    repair: (remedy) => {
      if (remedy.method === 'coverage.fix') setFixing(remedy.params.fix);
      else void inTurn(() => repair(remedy));
    },
    undo: () => {
      const undo = last?.undo;
      if (undo) void inTurn(() => takeBack(undo));
    },
    closeFix: () => setFixing(null),
  };
}
