/** A network's name, and what may happen on it when no private path works. */
import { type FormEvent, useId, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../../app/contract/settings/downgrade-policy.ts';
import type { NetworkEntry } from '../../../app/contract/system/network.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { misfit } from '../../bridge/misfit.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Field, Input } from '../../components/field.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { called } from './called.ts';
import styles from './networks.module.css';
import { type GeneralPolicy, isLooser } from './policies.ts';

interface NetworkDialogProps {
  network: NetworkEntry;
  general: GeneralPolicy | null;
  onClose(): void;
  onDone(): void;
}

export function NetworkDialog({ network, general, onClose, onDone }: NetworkDialogProps) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const form = useId();
  const [name, setName] = useState(network.name ?? '');
  const [policy, setPolicy] = useState(network.policy);
  const [tried, setTried] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const words = text.networks.dialog;
  const wanted = name.trim() === '' ? null : name.trim();
  const isName = wanted === null || misfit('values', 'networkName', wanted) === null;

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (!isName) return;
    const set = await session.call('network.set', {
      network: network.id,
      ...(wanted === network.name ? {} : { name: wanted }),
      ...(policy === network.policy ? {} : { policy }),
    });
    if (!set.ok) return setFailure(set.failure);
    onDone();
    toast('done', text.networks.saved(called(set.value)));
  }

  return (
    <Dialog
      title={words.title(called(network))}
      onClose={onClose}
      actions={
        <Button variant="main" type="submit" form={form} disabled={!live}>
          {words.save}
        </Button>
      }
    >
      <form id={form} className={styles.form} onSubmit={(event) => void save(event)} noValidate>
        <Field
          label={words.name}
          hint={words.nameHint}
          problem={tried && !isName ? words.nameProblem : null}
        >
          {(attributes) => (
            <Input
              {...attributes}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <PolicyChoice policy={policy} general={general} onChoose={setPolicy} />
        <Looser policy={policy} general={general} />
        {failure === null ? null : (
          <p className={styles.failure} role="alert">
            <FailureWords failure={failure} />
            {failure.subject === 'policy' ? ` ${words.administrator}` : null}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** Says what it means that the network's policy allows more than the settings do. */
function Looser({ policy, general }: Omit<PolicyChoiceProps, 'onChoose'>) {
  const { text } = useWords();
  if (policy === null || general === null || !isLooser(policy, general.policy)) return null;
  return (
    <p className={styles.looser}>
      {general.locked ? <Locked by={general.lockedBy} /> : text.networks.dialog.looser}
    </p>
  );
}

function Locked({ by }: { by: string | null }) {
  const { text } = useWords();
  const { locked, lockedByPolicy } = text.networks.dialog;
  return by === null ? lockedByPolicy : locked(safe(by));
}

interface PolicyChoiceProps {
  /** null: the settings decide */
  policy: DowngradePolicy | null;
  general: GeneralPolicy | null;
  onChoose(policy: DowngradePolicy | null): void;
}

/** Each choice shows its effect beforehand. */
function PolicyChoice({ policy, general, onChoose }: PolicyChoiceProps) {
  const { text } = useWords();
  const group = useId();
  const words = text.networks.dialog;
  const ofSettings = general === null ? '' : words.means.settings(words.names[general.policy]);
  return (
    <fieldset className={styles.policies}>
      <legend>{words.policy}</legend>
      {[null, ...downgradePolicies].map((one) => (
        <label key={one ?? 'settings'} className={styles.policy}>
          <input
            type="radio"
            name={group}
            checked={policy === one}
            onChange={() => onChoose(one)}
          />
          <span>
            <strong>{words.names[one ?? 'settings']}</strong>
            <span className={styles.means}>{one === null ? ofSettings : words.means[one]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
