export { serveAvatars } from './avatar.ts'
export { accountHandlers } from './account.routes.ts'
export { accountSweeps } from './account.sweeps.ts'
export { type Accounts, actorFor, createAccounts } from './account.service.ts'
export {
  findUserByLogin,
  forgetDefaultTeam,
  hasAnyUser,
  keepFactor,
  lacksProof,
  loginKey,
  takenBy,
  updateUser,
  type UserRow,
  userWords,
} from './account.store.ts'
export { type Browsers, createBrowsers } from './browsers.service.ts'
export { createNotices } from './sign-in.notices.ts'
export { keepAdministrator } from './administrators.ts'
export { avatarUrl, userRef, userSummaryView, userView } from './account.view.ts'
export { createGuesses, type Guesser, type Guesses, ownOf } from './guesses.service.ts'
export { letters } from './account.mails.ts'
export { createLinks } from './links.service.ts'
export { deleteLinksOf } from './links.store.ts'
export { createLimiter } from './limits.store.ts'
export { createOwnSessions } from './own-sessions.service.ts'
export { createPasswords, passwordFault, type Passwords } from './passwords.service.ts'
export { createProfiles, type Profiles } from './profile.service.ts'
export { createRegistrations, refuseReserved, refuseTaken, type Registrations } from './registration.service.ts'
export { type BrowserCookie, browserCookie, type SessionCookie, sessionCookie } from './session-cookie.ts'
export { type Caller, createSessions, type Opened, type Sessions } from './sessions.service.ts'
