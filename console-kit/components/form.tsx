import { t } from '../texts/t.ts';
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiFailure, type FieldErrors } from '../api/http.ts';
import { useUnsaved } from '../leaving/leaving.ts';
import { Notice } from './notice.tsx';

interface Props {
  /** of the button that sends it */
  submit: string;
  /** while it is sent */
  busy?: string;
  onSubmit: () => Promise<void>;
  /** filled with what the service says about each field */
  errors: Signal<FieldErrors>;
  /** fields that are on the form: errors of others stand above it */
  known: readonly string[];
  onCancel?: () => void;
  /** the service's error as this form would put it; null leaves it as it is */
  explain?: (failure: ApiFailure) => ComponentChildren | null;
  /** whether leaving would lose something; default whether anything was typed or chosen since it was sent */
  typed?: () => boolean;
  /** somebody is about to change something for the first time */
  onBegin?: () => void;
  children: ComponentChildren;
}

/** Sends once, shows each error at its field and leads the focus to the first. */
export function Form(props: Props) {
  const { submit, busy = t`Saving …`, onSubmit, errors, known, onCancel, explain, children } = props;
  const sending = useSignal(false);
  const problem = useSignal<ComponentChildren>(null);
  const form = useRef<HTMLFormElement>(null);
  const { touched, watch } = useTouched(props, sending);

  const send = async (event: Event) => {
    event.preventDefault();
    if (sending.value) return;
    sending.value = true;
    problem.value = null;
    errors.value = {};
    try {
      await onSubmit();
      touched.current = false;
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      errors.value = failure.fields;
      problem.value = explain?.(failure) ?? otherErrors(failure, known);
      // after the errors are on the page
      requestAnimationFrame(() => focusFirst(form.current));
    } finally {
      sending.value = false;
    }
  };

  return (
    <form ref={form} onSubmit={(event) => void send(event)} {...watch} noValidate>
      {problem.value && (
        <Notice tone="bad" alert>
          {problem.value}
        </Notice>
      )}
      {children}
      <div class="form-actions">
        <button type="submit" class="primary" aria-disabled={sending.value}>
          {sending.value ? busy : submit}
        </button>
        {onCancel && <button type="button" onClick={onCancel}>{t`Cancel`}</button>}
      </div>
    </form>
  );
}

/** What is being sent is not lost by going on from there; what nobody touched is not lost either. */
function useTouched({ typed, onBegin }: Pick<Props, 'typed' | 'onBegin'>, sending: Signal<boolean>) {
  const touched = useRef(false);
  const used = useRef(false);
  useUnsaved(() => !sending.peek() && (typed ? used.current && typed() : touched.current));
  const use = () => {
    if (!used.current) onBegin?.();
    used.current = true;
  };
  const input = () => {
    use();
    touched.current = true;
  };
  // before the fields themselves hear of it
  return { touched, watch: { onInputCapture: input, onKeyDownCapture: use, onPointerDownCapture: use } };
}

function otherErrors(failure: ApiFailure, known: readonly string[]): ComponentChildren {
  const { fields } = failure;
  const others = Object.entries(fields).filter(([field]) => !known.includes(field));
  if (!Object.keys(fields).length || !Object.keys(fields).some((field) => known.includes(field)))
    return <p>{failure.message}</p>;
  if (!others.length) return <p>{t`Some fields need another value.`}</p>;
  return others.map(([field, texts]) => (
    <p key={field}>{field === '__all__' ? texts.join(' ') : `${field}: ${texts.join(' ')}`}</p>
  ));
}

function focusFirst(form: HTMLFormElement | null): void {
  const invalid = form?.querySelector<HTMLElement>('[aria-invalid="true"]');
  invalid?.focus();
}
