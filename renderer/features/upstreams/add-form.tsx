/** The frame of the forms that add an upstream: it calls the service, and shows an error at its field. */
import { type ReactNode, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { NewUpstream } from '../../../app/contract/settings/upstream-methods.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './add-dialog.module.css';
import type { Edits } from './use-edits.ts';

interface AddFormProps {
  /** null: a required field is empty */
  wanted(): NewUpstream | null;
  edits: Edits;
  onClose(): void;
  children: ReactNode;
}

export function AddForm({ wanted, edits, onClose, children }: AddFormProps) {
  const { text } = useWords();
  const live = useLive();
  const [failure, setFailure] = useState<Failure | 'incomplete' | null>(null);

  async function add(): Promise<void> {
    const upstream = wanted();
    if (upstream === null) return setFailure('incomplete');
    setFailure(null);
    const added = await edits.add(upstream);
    if (added.ok) onClose();
    else setFailure(added.failure);
  }

  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      {children}
      <div role="alert" className={styles.problem}>
        {failure === 'incomplete' ? <p>{text.upstreams.add.needed}</p> : null}
        {failure === null || failure === 'incomplete' ? null : <FailureWords failure={failure} />}
      </div>
      <Button variant="main" type="submit" className={styles.confirm} disabled={!live}>
        {text.upstreams.add.confirm}
      </Button>
    </form>
  );
}
