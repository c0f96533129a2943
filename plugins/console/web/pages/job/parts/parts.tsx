import type { ComponentType } from 'preact';
import { lazily, type Run, runPath, t } from '@tapline/console-kit';
import type { PartProps } from './part.ts';

interface Part {
  id: string;
  label: string;
  content: ComponentType<PartProps>;
  /** kinds of runs that have it; default all */
  of?: readonly string[];
}

const ofJobs = ['job'];

/** What a run's page shows instead of its output, each loaded when somebody opens it. */
const all: readonly Part[] = [
  {
    id: 'hosts',
    label: t`Hosts`,
    of: ofJobs,
    content: lazily(t`hosts`, async () => (await import('./hosts-part.tsx')).HostsPart),
  },
  {
    id: 'tasks',
    label: t`Tasks`,
    of: ofJobs,
    content: lazily(t`tasks`, async () => (await import('./tasks-part.tsx')).TasksPart),
  },
  {
    id: 'timeline',
    label: t`Timeline`,
    of: ofJobs,
    content: lazily(t`the timeline`, async () => (await import('./timeline-part.tsx')).TimelinePart),
  },
  {
    id: 'decision',
    label: t`Variables and decision`,
    of: ofJobs,
    content: lazily(t`the decision`, async () => (await import('./decision-part.tsx')).DecisionPart),
  },
  {
    id: 'events',
    label: t`Events`,
    content: lazily(t`events`, async () => (await import('./events-part.tsx')).EventsPart),
  },
];

export const partsOf = ({ type }: Run): Part[] => all.filter(({ of }) => !of || of.includes(type));

export function PartTabs({ run, parts, chosen }: { run: Run; parts: readonly Part[]; chosen: Part | undefined }) {
  const path = runPath(run);
  return (
    <nav class="tabs" aria-label={t`Parts of the run`}>
      <a href={path} aria-current={chosen ? undefined : 'page'}>{t`Output`}</a>
      {parts.map(({ id, label }) => (
        <a key={id} href={`${path}?tab=${id}`} aria-current={chosen?.id === id ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
