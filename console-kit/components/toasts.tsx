import { signal } from '@preact/signals';

interface Toast {
  id: number;
  tone: 'good' | 'bad' | 'info';
  text: string;
}

const toasts = signal<Toast[]>([]);
const shownMs = 8000;
let next = 0;

export function toast(text: string, tone: Toast['tone'] = 'info'): void {
  const id = ++next;
  toasts.value = [...toasts.value.slice(-3), { id, tone, text }];
  setTimeout(() => dismiss(id), shownMs);
}

const dismiss = (id: number) => void (toasts.value = toasts.value.filter((shown) => shown.id !== id));

/** The region is there from the start: what is put into it is read out. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, tone, text }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          <button type="button" class="icon-button" onClick={() => dismiss(id)} aria-label={`Dismiss: ${text}`}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
