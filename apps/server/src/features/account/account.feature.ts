import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { accountHandlers } from './account.routes.ts'
import { type Accounts, createAccounts } from './account.service.ts'
import { accountSweeps } from './account.sweeps.ts'
import { serveAvatars } from './avatar.ts'
import { type Browsers, createBrowsers } from './browsers.service.ts'
import { createGuesses, type Guesses } from './guesses.service.ts'
import { createLinks, type Links } from './links.service.ts'
import { createOwnSessions, type OwnSessions } from './own-sessions.service.ts'
import { createPasswords, type Passwords } from './passwords.service.ts'
import { createProfiles, type Profiles } from './profile.service.ts'
import { createRegistrations, type Registrations } from './registration.service.ts'
import { type BrowserCookie, browserCookie, type SessionCookie, sessionCookie } from './session-cookie.ts'
import { createSessions, type Sessions } from './sessions.service.ts'
import { createNotices, type Notices } from './sign-in.notices.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    sessionCookie: SessionCookie
    browserCookie: BrowserCookie
    sessions: Sessions
    browsers: Browsers
    guesses: Guesses
    links: Links
    notices: Notices
    accounts: Accounts
    ownSessions: OwnSessions
    passwords: Passwords
    profiles: Profiles
    registrations: Registrations
    termsRequired(): Promise<boolean>
  }
}

declare module '../../platform/events/bus.ts' {
  interface ServerEvents {
    /** The sessions of a user have ended. */
    session: { user: string }
  }
}

export const accountFeature = defineFeature({
  name: 'account',
  shares: ['users', 'account_links'],
  hides: ['users.password_hash'],
  provides: {
    sessionCookie: ({ secure }) => sessionCookie(secure),
    browserCookie: ({ secure }) => browserCookie(secure),
    sessions: createSessions,
    browsers: createBrowsers,
    guesses: createGuesses,
    links: createLinks,
    notices: createNotices,
    termsRequired:
      ({ settings }) =>
      async () =>
        (await settings.all())['user:tcs-required'],
    accounts: (services) => createAccounts(also(services, { secondFactor: services.steps })),
    ownSessions: (services) =>
      createOwnSessions(
        also(services, { secondFactorRequired: async () => (await services.settings.all())['user:mfa-required'] }),
      ),
    passwords: (services) =>
      createPasswords(
        also(services, { resetAllowed: async () => (await services.settings.all())['user:reset-password'] }),
      ),
    profiles: (services) =>
      createProfiles(
        also(services, {
          isMember: async (userId: string, teamId: string) =>
            (await services.teams.roleOf(teamId, userId)) !== undefined,
          leaveAllTeams: services.members.leaveAll,
        }),
      ),
    registrations: (services) =>
      createRegistrations(
        also(services, {
          settings: services.settings.all,
          isInvited: services.invitations.isInvited,
          isInvitedBy: services.invitations.holds,
          admits: services.invitationLinks.admits,
          take: services.invitationLinks.take,
          verified: services.invitations.adopt,
          createTeam: services.teams.createPersonal,
        }),
      ),
  },
  routes: (services) =>
    accountHandlers(services, {
      session: services.sessionCookie,
      browser: services.browserCookie,
      step: services.stepCookie,
      link: services.ssoCookies.link,
    }),
  serve: serveAvatars,
  identify({ sessions, sessionCookie: cookie }, { bearer, cookies, address }) {
    const session = bearer === undefined ? cookies[cookie.name] : undefined
    return session ? sessions.actorOf(session, address) : undefined
  },
  jobs: ({ passwords }) => [passwords.resetMailJob],
  cookies: ({ sessionCookie: session, browserCookie: browser }) => [session.name, browser.name],
  sweeps: accountSweeps,
  backup: { leaveOut: ['sessions', 'rate_limits', 'account_links'] },
})
