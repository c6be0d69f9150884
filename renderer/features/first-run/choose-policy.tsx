/** Step 2: what happens on a network that lets nothing encrypted through. */
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../../app/contract/settings/downgrade-policies.ts';
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
  const { means, choice, policies } = text.firstRun.policy;
  if (setting?.locked) {
    const { name, means: what } = policies[chosen];
    return <Locked setting={setting}>{`${name}. ${what}`}</Locked>;
  }
  return (
    <>
      <p className={styles.text}>{means}</p>
      <Choices
        legend={choice}
        chosen={chosen}
        onChoose={onChoose}
        options={downgradePolicies.map((policy) => ({
          value: policy,
          title: policies[policy].name,
          means: policies[policy].means,
        }))}
      />
    </>
  );
}
