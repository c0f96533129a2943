import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ApiFailure } from '../api/http.ts';
import { Notice } from './notice.tsx';

export interface Crumb {
  label: string;
  href: string;
}

interface Props {
  title: string;
  /** beside the heading */
  actions?: ComponentChildren;
  /** under the heading */
  intro?: ComponentChildren;
  /** what it lies below, from the outermost: above the heading */
  trail?: readonly Crumb[];
  children?: ComponentChildren;
}

let visited = false;

/** Every page begins with its heading, which takes the focus when somebody comes from another page. */
export function PageLayout({ title, actions, intro, trail = [], children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => void (document.title = t`${title} · Tapline`), [title]);
  useEffect(() => {
    // the very first page leaves the focus where browsers put it
    if (visited) heading.current?.focus({ preventScroll: true });
    visited = true;
  }, []);
  return (
    <>
      <header class="page-head">
        <div>
          {trail.length > 0 && (
            <nav class="trail" aria-label={t`Breadcrumb`}>
              <ol>
                {trail.map(({ label, href }) => (
                  <li key={href}>
                    <a href={href}>{label}</a>
                  </li>
                ))}
              </ol>
            </nav>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {intro && <div class="intro">{intro}</div>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export const Loading = ({ what }: { what: string }) => (
  <p class="loading" role="status">
    <span class="spinner" aria-hidden="true" />
    {t`Loading ${what} …`}
  </p>
);

interface FailureProps {
  error: ApiFailure;
  what: string;
  /** reads it again */
  again: () => Promise<void>;
}

export function Failure({ error, what, again }: FailureProps) {
  if (error.status === 404)
    return <Notice tone="info">{t`There is no such ${what}, or it is not yours to see.`}</Notice>;
  if (error.status === 403) return <Notice tone="info">{t`You may not see this ${what}.`}</Notice>;
  return (
    <Notice tone="bad" title={t`The ${what} could not be loaded`} alert>
      <p>{error.message}</p>
      <button type="button" onClick={() => void again()}>{t`Try again`}</button>
    </Notice>
  );
}
