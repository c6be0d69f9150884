/** Three decisions, one after the other. They are stored after the second; what was skipped is not. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type { DowngradePolicy } from '../../../app/contract/settings/downgrade-policies.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { goTo } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { attempt, dismiss, isUnderWay } from '../protect/attempt.ts';
import { useCatalogue } from '../upstreams/use-catalogue.ts';
import { type KnownSettings, useSettings } from '../upstreams/use-settings.ts';
import { ChoosePolicy } from './choose-policy.tsx';
import { ChooseUpstream, keep } from './choose-upstream.tsx';
import styles from './first-run.module.css';
import { editFor } from './first-run.ts';
import { ProtectStep } from './protect-step.tsx';

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
  const [isSkipped, setSkipped] = useState(false);
  const [policy, setPolicy] = useState(downgrade?.value as DowngradePolicy);
  const [busy, setBusy] = useState(false);
  const isProtected = useIsProtected();
  const inUse = resolvers?.find(({ upstream }) => upstream !== null)?.id;
  const resolver = chosen ?? (hasOwn ? keep : (inUse ?? keep));

  async function storeUpstream(): Promise<boolean> {
    const entry = resolvers?.find(({ id }) => id === resolver);
    if (isSkipped || entry === undefined || upstreams?.locked) return true;
    const { method, params } = editFor(entry, hasOwn);
    return hasWorked(await session.call(method, params));
  }

  async function storePolicy(): Promise<boolean> {
    if (policy === downgrade?.value || downgrade?.locked) return true;
    return hasWorked(await session.call('settings.set', { key: 'downgrade', value: policy }));
  }

  async function leave(): Promise<void> {
    const ended = await session.call('setup.end', {});
    if (!ended.ok) tellFailure(ended.failure);
    // What is still under way goes on in its dialog.
    if (!isUnderWay(attempt.get())) dismiss();
    toast('done', isProtected ? text.firstRun.done : text.firstRun.notYet);
    goTo('home');
  }

  async function goOn(how: 'decided' | 'skipped'): Promise<void> {
    if (step === 'programs') return leave();
    if (step === 'upstream') {
      setSkipped(how === 'skipped');
      return setStep('policy');
    }
    setBusy(true);
    const stored = (await storeUpstream()) && (how === 'skipped' || (await storePolicy()));
    setBusy(false);
    if (!stored) return;
    settings.readAgain();
    setStep('programs');
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    void goOn('decided');
  }

  return (
    <form className={styles.page} onSubmit={submit}>
      <StepHead step={step} />
      <div className={styles.content}>
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
        {step === 'programs' ? <ProtectStep setting={settings.setting('systemDns.take')} /> : null}
      </div>
      <StepBar
        step={step}
        busy={busy}
        isProtected={isProtected}
        onBack={() => setStep(step === 'programs' ? 'policy' : 'upstream')}
        onSkip={() => void goOn('skipped')}
      />
    </form>
  );
}

/** Queries of this computer were seen to arrive. */
function useIsProtected(): boolean {
  const verdict = useStore(useService().status)?.value.verdict.is;
  return verdict === 'protected' || verdict === 'partly';
}

interface StepBarProps {
  step: StepName;
  busy: boolean;
  isProtected: boolean;
  onBack(): void;
  onSkip(): void;
}

/** The way on is in sight at every moment. */
function StepBar({ step, busy, isProtected, onBack, onSkip }: StepBarProps) {
  const { text } = useWords();
  const live = useLive();
  const words = text.firstRun;
  const isLast = step === 'programs';
  return (
    <div className={styles.bar}>
      {step === 'upstream' ? null : (
        <Button disabled={busy} onClick={onBack}>
          {words.back}
        </Button>
      )}
      <span />
      {isLast && !isProtected ? (
        <Button disabled={!live} onClick={onSkip}>
          {words.later}
        </Button>
      ) : (
        <>
          {isLast ? null : (
            <Button variant="quiet" disabled={!live || busy} onClick={onSkip}>
              {words.skip}
            </Button>
          )}
          <Button variant="main" type="submit" disabled={!live || busy}>
            {isLast ? words.finish : words.next}
          </Button>
        </>
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
  const place = steps.indexOf(step);
  return (
    <div>
      <p className={styles.step}>
        {steps.map((name, index) => (
          <i key={name} data-done={index <= place} />
        ))}
        {words.step(formats.count(place + 1), formats.count(steps.length))}
      </p>
      <h1 ref={heading} tabIndex={-1} className={styles.title}>
        {words[step].title}
      </h1>
    </div>
  );
}
