import { t } from '@tapline/console-kit/texts';
import { signal } from '@preact/signals';

const stored = 'tapline.theme';

export const themes = [
  { value: 'system', label: t`as the system has them` },
  { value: 'light', label: t`light` },
  { value: 'dark', label: t`dark` },
] as const;

type Theme = (typeof themes)[number]['value'];

const known = (value: string | null): Theme => themes.find((theme) => theme.value === value)?.value ?? 'system';

export const theme = signal<Theme>(known(localStorage.getItem(stored)));

/** Every colour follows `color-scheme`. */
const apply = (value: Theme) => void (document.documentElement.style.colorScheme = value === 'system' ? '' : value);

apply(theme.peek());

export function setTheme(value: Theme): void {
  theme.value = value;
  localStorage.setItem(stored, value);
  apply(value);
}
