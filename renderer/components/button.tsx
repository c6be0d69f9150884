import type { ComponentProps } from 'react';
import styles from './button.module.css';

interface ButtonProps extends ComponentProps<'button'> {
  /** `main`: what most people want here; `quiet`: without a frame until the pointer is on it */
  variant?: 'main' | 'plain' | 'quiet' | 'danger';
}

export function Button({ variant = 'plain', className, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      className={`${styles.button} ${styles[variant]} ${className ?? ''}`}
      {...rest}
    />
  );
}
