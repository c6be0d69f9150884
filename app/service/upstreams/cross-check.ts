/**
 * Asks every upstream of their group for the names of the setting "crossCheck.names": soon after the start and after the machine
 * came to another network, then about once an hour. Upstreams that contradict each other twice in a row are a health issue.
 * docs/design/cross-check.md.
 */
import { isDeepStrictEqual } from 'node:util';
import { sayJudgement, withWords } from '../../contract/probing/comparison.ts';
import type { CrossChecked } from '../../contract/probing/cross-check.ts';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import { inOrder } from '../base/in-order.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { askEach, whomToAsk } from './ask-each.ts';
import { compare } from './disagreement.ts';
import { createStandingDisagreements } from './standing-disagreements.ts';

export interface CrossCheckParts {
  engine: Pick<EngineDriver, 'explain' | 'askUpstream'>;
  network: Pick<CurrentNetwork, 'onChange'>;
  health: Pick<HealthRegistry, 'replace'>;
  /** the label of an upstream, for people */
  labelOf(upstream: string): string;
  onBug(error: unknown): void;
  /** at least 0 and less than 1 */
  random?(): number;
}

export interface CrossCheck {
  /** With other upstreams it begins anew; of names that are gone nothing stays. */
  configure(settings: Compared): void;
  /** Asks for all names now, and tells what was found of each. */
  check(tell: (checked: CrossChecked) => void, signal?: AbortSignal): Promise<void>;
  end(): void;
}

type Compared = Pick<Settings, 'crossCheck' | 'upstreams' | 'groups'>;

const types = ['A', 'AAAA'] as const;
const soonMs = 5_000;
const againMs = 60_000;
const hourMs = 3_600_000;

export function openCrossCheck(parts: CrossCheckParts, settings: Compared): CrossCheck {
  const { engine, network, health, labelOf, onBug, random = Math.random } = parts;
  const inTurn = inOrder();
  const ending = new AbortController();
  const disagreements = createStandingDisagreements();
  let compared = pick(settings);
  let timer: NodeJS.Timeout | null = null;
  let isConfirming = false;

  /** Half of it at the least, and half as much again at the most, so that a fleet does not come at once. */
  function arm(inMs: number): void {
    disarm();
    if (ending.signal.aborted || compared.crossCheck.names.length === 0) return;
    timer = setTimeout(() => void check(() => {}).catch(onBug), inMs * (0.5 + random())).unref();
  }

  function disarm(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  function check(tell: (checked: CrossChecked) => void, signal = ending.signal): Promise<void> {
    return inTurn(async () => {
      disarm();
      await checkAll(tell, AbortSignal.any([signal, ending.signal]));
      // What differs each time would otherwise be asked for each minute.
      isConfirming = !isConfirming && disagreements.areUnconfirmed();
      if (timer === null) arm(isConfirming ? againMs : hourMs);
    });
  }

  async function checkAll(
    tell: (checked: CrossChecked) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const began = compared;
    for (const name of began.crossCheck.names)
      for (const type of types) {
        const checked = await compareNow(engine, { name, type });
        // A name that was removed meanwhile is not asked for any more, nor does it count.
        if (signal.aborted || compared !== began) return;
        disagreements.note({ name, type }, checked.comparison);
        tellHealth();
        tell(checked);
      }
  }

  /** Everybody may read health issues, so none has a name. */
  function tellHealth(): void {
    const said = disagreements.told().map((judged) => sayJudgement(judged, labelOf));
    const details = [...new Map(said.map((one) => [inEnglish(one), one])).values()];
    health.replace('upstreams-disagree', new Map(details.length === 0 ? [] : [['', details]]));
  }

  const deaf = network.onChange(({ moved, pathChanged }) => {
    if (moved || pathChanged) arm(soonMs);
  });
  arm(soonMs);
  return {
    configure(next) {
      const [before, after] = [compared, pick(next)];
      if (isDeepStrictEqual(before, after)) return;
      compared = after;
      const isOnlyNames = isDeepStrictEqual({ ...before, crossCheck: after.crossCheck }, after);
      disagreements.keepOnly(isOnlyNames ? after.crossCheck.names : []);
      tellHealth();
      arm(soonMs);
    },
    check,
    end() {
      deaf();
      ending.abort();
      disarm();
    },
  };
}

function pick({ crossCheck, upstreams, groups }: Compared): Compared {
  return { crossCheck, upstreams, groups };
}

async function compareNow(
  engine: CrossCheckParts['engine'],
  query: { name: string; type: string },
): Promise<CrossChecked> {
  const upstreams = whomToAsk(engine, query);
  if (!upstreams.ok) return { ...query, comparison: null, skipped: upstreams.failure };
  let found = withWords(compare([]));
  // One alone learns nothing from us, because nothing could be compared with its response.
  if (upstreams.value.length > 1)
    await askEach(engine, query, upstreams.value, ({ comparison }) => {
      found = comparison ?? found;
    });
  return { ...query, comparison: found, skipped: null };
}
