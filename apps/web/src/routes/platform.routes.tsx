import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { NotFound } from '../shell/NotFound.tsx'
import { platform, root } from './frames.tsx'

/** Pages for who is not signed in. */
export const publicPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/setup',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/setup/pages/SetupPage.tsx'), 'SetupPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/help',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/console/pages/HelpPage.tsx'), 'HelpPage'),
  }),
] as const

/** Pages of the console that belong to no team, and the answer to an unknown path. */
export const platformPages = [
  createRoute({
    getParentRoute: () => platform,
    path: '/',
    component: lazy(() => import('../features/teams/pages/HomePage.tsx'), 'HomePage'),
  }),
  createRoute({
    getParentRoute: () => platform,
    path: '/team/create',
    staticData: { help: 'teams' },
    component: lazy(() => import('../features/teams/pages/CreateTeamPage.tsx'), 'CreateTeamPage'),
  }),
  createRoute({
    getParentRoute: () => platform,
    path: '/project/$instanceId/$',
    beforeLoad: ({ params }) => {
      // The former address of instances; the path after the id stays.
      redirect({ href: `/instance/${params.instanceId}/${params._splat ?? ''}`, replace: true, throw: true })
    },
  }),
  createRoute({
    getParentRoute: () => platform,
    path: '/login',
    // The login stands before every page; who asks for it by name goes home afterwards.
    beforeLoad: () => void redirect({ to: '/', replace: true, throw: true }),
  }),
  createRoute({ getParentRoute: () => platform, path: '$', component: () => <NotFound /> }),
] as const
