/** Step 2: what happens on a network that lets no private query through. */
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../../app/contract/settings/downgrade-policy.ts';
import type { EffectiveSetting } from '../../../app/contract/settings/settings-methods.ts';
import { useWords } from '../../text/use-text.ts';
import { Choices } from './choices.tsx';
import styles from './first-run.module.css';
import { Locked } from './locked.tsx';

interface ChoosePolicyProps {
  setting: EffectiveSetting | undefined;
  chosen: DowngradePolicy;
  onChoose(policy: DowngradePolicy): void;
}

export function ChoosePolicy({ setting, chosen, onChoose }: ChoosePolicyProps) {
  const { text } = useWords();
  const words = text.firstRun.policy;
  return (
    <>
      <p className={styles.text}>{words.means}</p>
      <Locked setting={setting} />
      <Choices
        legend={words.choice}
        chosen={chosen}
        disabled={setting?.locked ?? false}
        onChoose={onChoose}
        options={downgradePolicies.map((policy) => ({
          value: policy,
          title: words.policies[policy].name,
          means: words.policies[policy].means,
        }))}
      />
    </>
  );
}
