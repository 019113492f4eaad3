import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage as lazy } from '../lib/lazy-page.ts'
import { platform, root } from './frames.tsx'

/** Pages of an account that stand outside the frame of the console. */
export const accountPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/account/sso/link',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/sso/pages/SsoLinkPage.tsx'), 'SsoLinkPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/sso/step',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/sso/pages/SsoStepPage.tsx'), 'SsoStepPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/request/$id',
    component: lazy(() => import('../features/account/pages/AccessRequestPage.tsx'), 'AccessRequestPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/request/$id/editor',
    component: lazy(() => import('../features/account/pages/EditorAccessPage.tsx'), 'EditorAccessPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/create',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/account/pages/SignUpPage.tsx'), 'SignUpPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/invitation',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/invitations/pages/InvitationLinkPage.tsx'), 'InvitationLinkPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/invitation/join',
    component: lazy(() => import('../features/invitations/pages/InvitationLinkPage.tsx'), 'InvitationLinkPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/verify/$token',
    staticData: { isPublic: true, isVerifyPage: true },
    component: lazy(() => import('../features/account/pages/VerifyPage.tsx'), 'VerifyPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/email_change/$token',
    component: lazy(() => import('../features/account/pages/EmailChangePage.tsx'), 'EmailChangePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/forgot-password',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/account/pages/ForgotPasswordPage.tsx'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/change-password/$token',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/account/pages/ResetPasswordPage.tsx'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/account/logout',
    staticData: { isPublic: true },
    component: lazy(() => import('../features/account/pages/LogoutPage.tsx'), 'LogoutPage'),
  }),
] as const

const account = createRoute({ getParentRoute: () => platform, path: '/account', staticData: { area: 'account' } })
const settingsPages = [
  createRoute({
    getParentRoute: () => account,
    path: '/',
    beforeLoad: () => void redirect({ to: '/account/settings', replace: true, throw: true }),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'settings',
    staticData: { help: 'account' },
    component: lazy(() => import('../features/account/pages/AccountSettingsPage.tsx'), 'AccountSettingsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'teams',
    staticData: { help: 'teams' },
    component: lazy(() => import('../features/teams/pages/MyTeamsPage.tsx'), 'MyTeamsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'teams/invitations',
    staticData: { help: 'teams#invite-people' },
    component: lazy(() => import('../features/invitations/pages/InvitationsPage.tsx'), 'InvitationsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security',
    beforeLoad: () => void redirect({ to: '/account/security/password', replace: true, throw: true }),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/password',
    staticData: { help: 'account#password' },
    component: lazy(() => import('../features/account/pages/PasswordPage.tsx'), 'PasswordPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/sessions',
    staticData: { help: 'account#sessions' },
    component: lazy(() => import('../features/account/pages/SessionsPage.tsx'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/second-factor',
    staticData: { help: 'account#second-factor' },
    component: lazy(() => import('../features/second-factor/pages/SecondFactorPage.tsx'), 'SecondFactorPage'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: 'security/tokens',
    staticData: { help: 'access-tokens' },
    component: lazy(() => import('../features/tokens/pages/AccessTokensPage.tsx'), 'AccessTokensPage'),
  }),
] as const

/** The account area. */
export const accountRoutes = account.addChildren(settingsPages)
