import type { ComponentChildren } from 'preact';

interface Props {
  tone: 'info' | 'good' | 'warn' | 'bad';
  title?: string;
  /** Read out at once: for what follows from something the person just did. */
  alert?: boolean;
  children?: ComponentChildren;
}

export function Notice({ tone, title, alert, children }: Props) {
  return (
    <div class={`notice ${tone}`} role={alert ? 'alert' : undefined}>
      {title && <p class="notice-title">{title}</p>}
      {children}
    </div>
  );
}
