import { PageLayout } from '@tapline/console-kit';
import { h } from 'preact';

function Hinge() {
  throw new Error('The hinge is <b>off</b>.');
}

export const routes = [{ pattern: '/broken', page: () => h(PageLayout, { title: 'Broken' }, h(Hinge)) }];
