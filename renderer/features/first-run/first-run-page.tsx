/** Three decisions, one after the other. They are stored after the second; skipping stores nothing. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type { DowngradePolicy } from '../../../app/contract/settings/downgrade-policy.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { goTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { useCatalogue } from '../upstreams/use-catalogue.ts';
import { type KnownSettings, useSettings } from '../upstreams/use-settings.ts';
import { ChoosePolicy } from './choose-policy.tsx';
import { ChooseUpstream, keep } from './choose-upstream.tsx';
import styles from './first-run.module.css';
import { editFor } from './first-run.ts';
import { ProtectOrPoint } from './protect-or-point.tsx';

const steps = ['upstream', 'policy', 'programs'] as const;
type StepName = (typeof steps)[number];

export function FirstRunPage() {
  const { text } = useWords();
  const settings = useSettings();
  if (settings === null) return <EmptyState level={1} title={text.frame.loading} />;
  return <Steps settings={settings} />;
}

function Steps({ settings }: { settings: KnownSettings }) {
  const { text } = useWords();
  const { session } = useService();
  const resolvers = useCatalogue()?.filter(({ retired }) => retired === null) ?? null;
  const [upstreams, downgrade] = [settings.setting('upstreams'), settings.setting('downgrade')];
  // As it was at the beginning: the person's first choice must not count as an earlier one.
  const [hasOwn] = useState(upstreams?.source.layer !== 'default');
  const [step, setStep] = useState<StepName>('upstream');
  const [chosen, choose] = useState<string | null>(null);
  const [policy, setPolicy] = useState(downgrade?.value as DowngradePolicy);
  const [busy, setBusy] = useState(false);
  const words = text.firstRun;
  const inUse = resolvers?.find(({ upstream }) => upstream !== null)?.id;
  const resolver = chosen ?? (hasOwn ? keep : (inUse ?? keep));

  /** Returns whether everything was stored. */
  async function store(): Promise<boolean> {
    const entry = resolvers?.find(({ id }) => id === resolver);
    if (entry !== undefined && !upstreams?.locked) {
      const { method, params } = editFor(entry, hasOwn);
      if (!hasWorked(await session.call(method, params))) return false;
    }
    if (!(await storePolicy())) return false;
    settings.readAgain();
    return true;
  }

  async function storePolicy(): Promise<boolean> {
    if (policy === downgrade?.value || downgrade?.locked) return true;
    return hasWorked(await session.call('settings.set', { key: 'downgrade', value: policy }));
  }

  async function leave(how: 'done' | 'skipped'): Promise<void> {
    const ended = await session.call('setup.end', {});
    if (!ended.ok) tellFailure(ended.failure);
    toast('done', words[how]);
    goTo('home');
  }

  async function goOn(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (step === 'programs') return leave('done');
    if (step === 'upstream') return setStep('policy');
    setBusy(true);
    const stored = await store();
    setBusy(false);
    if (stored) setStep('programs');
  }

  return (
    <form className={styles.page} onSubmit={(event) => void goOn(event)}>
      <StepHead step={step} />
      {step === 'upstream' ? (
        <ChooseUpstream
          resolvers={resolvers}
          setting={upstreams}
          hasOwn={hasOwn}
          chosen={resolver}
          onChoose={choose}
        />
      ) : null}
      {step === 'policy' ? (
        <ChoosePolicy setting={downgrade} chosen={policy} onChoose={setPolicy} />
      ) : null}
      {step === 'programs' ? <ProtectOrPoint /> : null}
      <StepButtons
        step={step}
        busy={busy}
        onBack={() => setStep('upstream')}
        onSkip={() => void leave('skipped')}
      />
    </form>
  );
}

interface StepButtonsProps {
  step: StepName;
  busy: boolean;
  onBack(): void;
  onSkip(): void;
}

function StepButtons({ step, busy, onBack, onSkip }: StepButtonsProps) {
  const { text } = useWords();
  const live = useLive();
  const words = text.firstRun;
  return (
    <div className={styles.actions}>
      <Button variant="main" type="submit" disabled={!live || busy}>
        {step === 'programs' ? words.finish : words.next}
      </Button>
      {step === 'policy' ? (
        <Button disabled={busy} onClick={onBack}>
          {words.back}
        </Button>
      ) : null}
      {step === 'programs' ? null : (
        <Button variant="quiet" disabled={busy} onClick={onSkip}>
          {words.skip}
        </Button>
      )}
    </div>
  );
}

/** Shows the failure where there is one. */
function hasWorked(done: Result<unknown>): boolean {
  if (!done.ok) tellFailure(done.failure);
  return done.ok;
}

/** Takes the focus with every step, so that a screen reader reads the new part first. */
function StepHead({ step }: { step: StepName }): ReactNode {
  const { text, formats } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  const words = text.firstRun;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every step
  useEffect(() => heading.current?.focus(), [step]);
  const number = formats.count(steps.indexOf(step) + 1);
  return (
    <div>
      <p className={styles.step}>
        {words.title} · {words.step(number, formats.count(steps.length))}
      </p>
      <h1 ref={heading} tabIndex={-1} className={styles.title}>
        {words[step].title}
      </h1>
    </div>
  );
}
