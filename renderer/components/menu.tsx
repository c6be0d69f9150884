/** A button that opens a list of things to do. */
import * as DropdownMenu from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './menu.module.css';

interface MenuProps {
  label: ReactNode;
  children: ReactNode;
  variant?: 'plain' | 'quiet';
  /** without the arrow */
  bare?: boolean;
  disabled?: boolean;
  /** needed where the label is unclear by itself */
  'aria-label'?: string;
}

/** Not modal: Radix would add a style element to the page, which its policy forbids. */
export function Menu(props: MenuProps) {
  const { label, children, variant = 'plain', bare = false, disabled = false, ...rest } = props;
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button variant={variant} disabled={disabled} {...rest}>
          {label}
          {bare ? null : (
            <svg className={styles.arrow} viewBox="0 0 12 12" aria-hidden="true">
              <path d="m3 4.5 3 3 3-3" />
            </svg>
          )}
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={styles.content} align="end" sideOffset={4}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  onSelect(): void;
  /** it leads to what is shown already */
  isCurrent?: boolean;
  children: ReactNode;
}

export function MenuItem({ onSelect, isCurrent = false, children }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      className={styles.item}
      aria-current={isCurrent ? 'page' : undefined}
      onSelect={onSelect}
    >
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className={styles.separator} />;
}

interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChoose(value: Value): void;
}

/** One of several, the chosen one marked. */
export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { label, value, options, onChoose } = props;
  return (
    <DropdownMenu.RadioGroup
      aria-label={label}
      value={value}
      onValueChange={(chosen) => onChoose(chosen as Value)}
    >
      <DropdownMenu.Label className={styles.label}>{label}</DropdownMenu.Label>
      {options.map(([option, words]) => (
        <DropdownMenu.RadioItem key={option} className={styles.item} value={option}>
          <span className={styles.tick} aria-hidden="true">
            <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
          </span>
          {words}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
}
