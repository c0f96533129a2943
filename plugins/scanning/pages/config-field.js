import { CodeField, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';

/** The options of the tool, as JSON. */
export function ConfigField({ value, onValue, errors }) {
  const typed = useSignal(JSON.stringify(value, null, 2));
  const set = (text) => {
    typed.value = text;
    onValue(read(text));
  };
  return h(CodeField, {
    label: t`Config`,
    name: 'config',
    language: 'json',
    hint: t`playbook_lint: profile, skip, exclude. iac_scan: checks, skip. dependency_audit: requirements_file, ignore.`,
    errors: errors['config'] ?? [],
    value: typed.value,
    onValue: set,
  });
}

/** What is no JSON is sent as it is: the service says so at its field. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
