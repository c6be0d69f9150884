/** What may happen on a network where no encrypted connection works. A choice takes effect at once, so arrows only move. */
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../../app/contract/settings/downgrade-policies.ts';
import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useLive } from '../../state/service.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';
import styles from './networks.module.css';
import { type GeneralPolicy, isLooser } from './policies.ts';
import type { NetworkChanges } from './use-network-changes.tsx';

/** null: the settings decide */
type Choice = DowngradePolicy | null;
const choices: readonly Choice[] = [null, ...downgradePolicies];

interface PolicyChoiceProps {
  network: NetworkEntry;
  general: GeneralPolicy | null;
  changes: NetworkChanges;
}

export function PolicyChoice({ network, general, changes }: PolicyChoiceProps) {
  const { text } = useWords();
  const live = useLive();
  const id = useId();
  const group = useRef<HTMLDivElement>(null);
  const [looked, lookAt] = useState<Choice | undefined>(undefined);
  const words = text.networks;
  const chosen = network.policy;
  const isShown = looked === undefined ? chosen : looked;
  const isBarred = (choice: Choice) =>
    choice !== null &&
    choice !== chosen &&
    general?.locked === true &&
    isLooser(choice, general.policy);

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const buttons: Element[] = [
      ...(group.current?.querySelectorAll('button:not(:disabled)') ?? []),
    ];
    const at = document.activeElement === null ? -1 : buttons.indexOf(document.activeElement);
    const next = buttons.at((at + step) % buttons.length);
    if (next instanceof HTMLElement) next.focus();
  }

  return (
    <div className={styles.policy}>
      <p id={id} className={styles.question}>
        {words.question}
      </p>
      <div
        ref={group}
        className={styles.choices}
        role="radiogroup"
        aria-label={words.questionOf(called(network))}
        onKeyDown={onKeyDown}
      >
        {choices.map((choice) => (
          // biome-ignore lint/a11y/useSemanticElements: with inputs, an arrow key would choose, and so take effect
          <button
            key={choice ?? 'settings'}
            type="button"
            role="radio"
            aria-checked={choice === chosen}
            aria-describedby={`${id}-${choice ?? 'settings'}`}
            tabIndex={choice === chosen ? 0 : -1}
            className={styles.choice}
            disabled={!live || isBarred(choice)}
            onFocus={() => lookAt(choice)}
            onBlur={() => lookAt(undefined)}
            onPointerEnter={() => lookAt(choice)}
            onPointerLeave={() => lookAt(undefined)}
            onClick={() => {
              if (choice !== chosen) void changes.setPolicy(network, choice);
            }}
          >
            <span className={styles.dot} aria-hidden="true" />
            <span>
              {choice === null ? words.asSettings : words.policies[choice]}
              {choice === null && general !== null ? (
                <span className={styles.general}>{words.policies[general.policy]}</span>
              ) : null}
            </span>
          </button>
        ))}
      </div>
      <div className={styles.meanings}>
        {choices.map((choice) => (
          <p
            key={choice ?? 'settings'}
            id={`${id}-${choice ?? 'settings'}`}
            data-shown={choice === isShown}
          >
            {words.means[choice ?? general?.policy ?? 'refuse']}
          </p>
        ))}
      </div>
      <SetBy general={general} policy={chosen} />
    </div>
  );
}

/** Who has locked the policy, or what it means that this one allows more than the settings. */
function SetBy({ general, policy }: { general: GeneralPolicy | null; policy: Choice }) {
  const { text } = useWords();
  const words = text.networks;
  if (general === null) return null;
  const looser = policy !== null && isLooser(policy, general.policy);
  if (general.locked)
    return (
      <p className={styles.lock}>
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="M3 5.5V4a3 3 0 0 1 6 0v1.5M2 5.5h8v5H2Z" />
        </svg>
        <span>
          <Rich
            of={general.reason === null ? words.locked : words.lockedBecause}
            who={<strong>{safe(general.lockedBy ?? words.someone)}</strong>}
            reason={safe(general.reason ?? '')}
          />{' '}
          {looser ? words.noEffect : null}
        </span>
      </p>
    );
  return looser ? <p className={styles.looser}>{words.looser}</p> : null;
}
