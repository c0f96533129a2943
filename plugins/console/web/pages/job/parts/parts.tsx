import type { ComponentType } from 'preact';
import { lazily, type Run, runPath, t, Why } from '@tapline/console-kit';
import type { PartProps } from './part.ts';

interface Part {
  id: string;
  label: string;
  content: ComponentType<PartProps>;
  /** kinds of runs that have it; default all */
  of?: readonly string[];
}

const ofJobs = ['job'];

/** Runs of kinds that nobody here knows say themselves where they stand. */
export const whyPart: Part = {
  id: 'why',
  label: t`Who may, and why`,
  content: ({ run }) => <Why row={run} resource={{ path: run.url.split('/').at(-3)! }} />,
};

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
  whyPart,
];

export const partsOf = ({ type }: Run): Part[] => all.filter(({ of }) => !of || of.includes(type));

interface TabsProps {
  run: Run;
  parts: readonly Part[];
  chosen: Part | undefined;
  /** what the page shows at first */
  first?: string;
}

export function PartTabs({ run, parts, chosen, first = t`Output` }: TabsProps) {
  const path = runPath(run);
  return (
    <nav class="tabs" aria-label={t`Parts of the run`}>
      <a href={path} aria-current={chosen ? undefined : 'page'}>
        {first}
      </a>
      {parts.map(({ id, label }) => (
        <a key={id} href={`${path}?tab=${id}`} aria-current={chosen?.id === id ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
