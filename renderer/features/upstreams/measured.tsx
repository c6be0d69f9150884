/** The result of a measurement, and the button that starts one. */
import { Button } from '../../components/button.tsx';
import { Cause, TriedInVain } from '../../components/told.tsx';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './measured.module.css';
import type { Measuring } from './use-catalogue.ts';

export function MeasureButton({ measuring, of }: { measuring: Measuring; of: number }) {
  const { text, formats } = useWords();
  const live = useLive();
  const words = text.upstreams.catalogue;
  const { running, measured, begin, cancel } = measuring;
  return (
    <div className={styles.line}>
      <Button disabled={!live} onClick={running ? cancel : begin}>
        {running ? words.cancel : measured.size === 0 ? words.measure : words.again}
      </Button>
      <span role="status">
        {running ? words.progress(formats.count(measured.size), formats.count(of)) : null}
      </span>
    </div>
  );
}

/** Empty until a measurement was made. */
export function MeasuredLatency({ of, measuring }: { of: string; measuring: Measuring }) {
  const { text, formats } = useWords();
  const words = text.upstreams.catalogue;
  const found = measuring.measured.get(of);
  if (found === undefined)
    return measuring.running ? <span className={styles.quiet}>{words.measuring}</span> : null;
  const { responseMs, handshakeMs, error, tried } = found;
  if (responseMs === null)
    return (
      <span className={styles.failed}>
        {words.unreachable}
        {error === null ? null : (
          <>
            : <Cause of={error} tried={tried} />
          </>
        )}
      </span>
    );
  return (
    <span>
      <strong>{words.answer(formats.latency(responseMs))}</strong>
      {handshakeMs === null ? null : (
        <span className={styles.quiet}> · {words.handshake(formats.latency(handshakeMs))}</span>
      )}
      {tried === undefined ? null : (
        <span className={styles.failed}>
          {' '}
          · <TriedInVain at={tried} />
        </span>
      )}
    </span>
  );
}
