/** A line for a terminal, with a button that copies it. */
import { useState } from 'react';
import { safe } from '../../app/contract/text/visible-text.ts';
import { host } from '../bridge/host.ts';
import { useWords } from '../text/use-text.ts';
import { Button } from './button.tsx';
import styles from './copy-line.module.css';

export function CopyLine({ line }: { line: string }) {
  const { text } = useWords();
  const [copied, setCopied] = useState<boolean | null>(null);
  const words = text.firstRun.programs;
  const said = copied === true ? words.copied : words.notCopied;
  return (
    <div>
      <div className={styles.line}>
        <code>{safe(line)}</code>
        <Button onClick={() => void host.copy(line).then(setCopied)}>{words.copy}</Button>
      </div>
      <output className={styles.said}>{copied === null ? '' : said}</output>
    </div>
  );
}
