/** A network's name, which is edited where it stands: Enter saves it, Esc keeps the old one. */
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import { misfit } from '../../../app/contract/fitting/misfit.ts';
import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { useLive } from '../../state/service.ts';
import type { Language } from '../../text/catalogue.ts';
import { wordsForFailure } from '../../text/said.ts';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';
import styles from './networks.module.css';
import type { NetworkChanges } from './use-network-changes.tsx';

interface NetworkNameProps {
  network: NetworkEntry;
  level: 2 | 3;
  changes: NetworkChanges;
}

export function NetworkName({ network, level, changes }: NetworkNameProps) {
  const { text } = useWords();
  const live = useLive();
  const [editing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) button.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  const words = text.networks;
  const rename = network.name === null ? words.giveName : words.rename;
  const Heading = `h${level}` as const;
  return editing ? (
    <NameForm network={network} changes={changes} onClose={() => setEditing(false)} />
  ) : (
    <div className={styles.name} data-level={level}>
      <Heading>
        {network.name === null ? words.unnamed(signOf(network)) : safe(network.name)}
      </Heading>
      <Button
        ref={button}
        variant="quiet"
        className={styles.rename}
        disabled={!live}
        aria-label={`${rename}: ${called(network)}`}
        onClick={() => setEditing(true)}
      >
        {rename}
      </Button>
    </div>
  );
}

/** What a person may know it by, as long as it has no name: never more than a hint, for the network itself gave it. */
function signOf({ hints, label }: NetworkEntry): string {
  return safe(hints.interface ?? label);
}

interface NameFormProps extends Omit<NetworkNameProps, 'level'> {
  onClose(): void;
}

function NameForm({ network, changes, onClose }: NameFormProps) {
  const { text, language } = useWords();
  const live = useLive();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, type] = useState(network.name ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const words = text.networks;
  useEffect(() => field.current?.select(), []);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const wanted = typed.trim() === '' ? null : typed.trim();
    const wrong = wanted === network.name ? null : await rename(wanted);
    if (wrong === null) onClose();
    else setProblem(wrong);
  }

  /** What is wrong with it; null where it has the name now. */
  async function rename(wanted: string | null): Promise<string | null> {
    if (wanted !== null && misfit('values', 'networkName', wanted) !== null)
      return words.nameProblem;
    const refused = await changes.rename(network, wanted);
    if (refused === null) return null;
    return isTaken(refused) ? words.nameTaken : sayFailure(refused, language);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') onClose();
  }

  return (
    <form className={styles.naming} noValidate onSubmit={(event) => void save(event)}>
      <div className={styles.typed}>
        <Input
          ref={field}
          aria-label={words.nameOf(called(network))}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem !== null}
          value={typed}
          onKeyDown={onKeyDown}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <Button type="submit" variant="main" disabled={!live}>
          {words.save}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
      <p
        id={`${id}-hint`}
        className={problem === null ? styles.hint : styles.problem}
        role={problem === null ? undefined : 'alert'}
      >
        {problem ?? words.nameHint}
      </p>
    </form>
  );
}

function isTaken({ code, subject }: Failure): boolean {
  return code === 'params-invalid' && subject === 'name';
}

function sayFailure(failure: Failure, language: Language): string {
  return wordsForFailure(failure, language) ?? safe(`${failure.message} – ${failure.remedy}`);
}
