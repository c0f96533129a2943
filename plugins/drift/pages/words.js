import { Status, t } from '@tapline/console-kit';
import { h } from 'preact';

export const categories = ['packages', 'services', 'users_groups', 'network', 'mounts', 'kernel', 'other'];
export const severities = ['low', 'medium', 'high', 'critical'];

/** `users_groups` → Users and groups */
export const categoryLabel = (name) =>
  name === 'users_groups' ? t`Users and groups` : name.charAt(0).toUpperCase() + name.slice(1);

/** As the kit shows what is well and what is not. */
const tones = { low: 'new', medium: 'degraded', high: 'canceled', critical: 'failed' };

/** A shape beside the word, so that nobody has to tell colours apart. */
export const Severity = ({ of }) => h(Status, { status: tones[of], label: of.charAt(0).toUpperCase() + of.slice(1) });

export const changesText = (count) => (count === 1 ? t`1 change` : t`${count.toLocaleString('en')} changes`);

/** A value as it is read: texts as they are, all else as JSON. */
export const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
