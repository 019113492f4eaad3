export { type Accounts, actorFor, type SignIn } from './account.service.ts'
export {
  findUser,
  findUserByEmail,
  findUserByLogin,
  firstFreeUsername,
  forgetDefaultTeam,
  hasAnyUser,
  keepFactor,
  lockUser,
  lacksProof,
  joinedPerson,
  loginKey,
  personColumns,
  type PersonRow,
  takenBy,
  updateUser,
  type UserRow,
  userWords,
} from './account.store.ts'
export { type Browsers } from './browsers.service.ts'
export { keepAdministrator } from './administrators.ts'
export { avatarUrl, userRef, userSummaryView, userView } from './account.view.ts'
export { type Guesser, type Guesses, ownOf } from './guesses.service.ts'
export { letters } from './account.mails.ts'
export { createLinks } from './links.service.ts'
export { deleteLinksOf } from './links.store.ts'
export { createLimiter } from './limits.store.ts'
export { passwordFault, type Passwords } from './passwords.service.ts'
export { type Profiles } from './profile.service.ts'
export { refuseReserved, refuseTaken, type Registrations } from './registration.service.ts'
export { type BrowserCookie, type SessionCookie } from './session-cookie.ts'
export { type Caller, createSessions, type Opened, type Sessions } from './sessions.service.ts'
