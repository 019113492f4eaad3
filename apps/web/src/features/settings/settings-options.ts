import type { PlatformSettings, SettingsPatch } from '@app/contract'

type Key = keyof SettingsPatch & keyof PlatformSettings

/** One thing an administrator switches on or off. */
export interface SettingOption {
  key: Key
  label: string
  help: string
  /** Works only where mail can be sent [ASET-11]. */
  needsMail?: true
}

export const sections: { title: string; options: SettingOption[] }[] = [
  {
    title: 'Users',
    options: [
      {
        key: 'user:signup',
        label: 'Allow users to sign up on the login screen',
        help: 'Anyone who can open the login screen can create an account.',
        needsMail: true,
      },
      {
        key: 'user:reset-password',
        label: 'Allow users to reset their password',
        help: 'They get a link by mail.',
        needsMail: true,
      },
      {
        key: 'user:team:auto-create',
        label: 'Create a personal team for new users',
        help: 'They own it and can start at once.',
      },
      {
        key: 'user:tcs-required',
        label: 'Require agreement to Terms & Conditions',
        help: 'At sign-up, and again when they change.',
      },
      {
        key: 'user:sso',
        label: 'Allow single sign-on',
        help: 'Users of a configured email domain sign in through their company. Its providers are on the SSO page.',
      },
    ],
  },
  {
    title: 'Teams',
    options: [
      { key: 'team:create', label: 'Allow users to create teams', help: 'Administrators always can.' },
      {
        key: 'team:user:invite:external',
        label: 'Allow inviting people without an account',
        help: 'Team owners can invite by email address.',
        needsMail: true,
      },
      {
        key: 'team:application-roles',
        label: 'Allow roles in single applications',
        help: 'Team owners can limit a member to named applications, or give them another role in one.',
      },
    ],
  },
]

/** Texts of the platform's own on the sign-up screen. */
export const banners = [
  { key: 'branding:account:signUpTopBanner', label: 'HTML shown above the sign-up form' },
  { key: 'branding:account:signUpLeftBanner', label: 'HTML shown left of the sign-up form' },
] as const

/** Labels of what is no switch. */
export const labels = {
  termsUrl: 'Terms & Conditions URL',
  termsDate: 'Last updated:',
  renewTerms: 'update now',
  trial: 'Start personal teams in trial mode',
  trialDays: 'Trial length in days',
  trialType: 'Instance type of the trial',
  statsToken: 'Allow token access to platform statistics',
} as const

/** The vendor hears of a platform with a licence anyway [ASET-10]. */
export const offersTelemetry = (settings: PlatformSettings): boolean => !settings['platform:licensed']

export function telemetryOption({ 'telemetry:url': url }: PlatformSettings): SettingOption {
  const help = url
    ? `Sends the version and the number of users, teams and instances to ${new URL(url).host} once a day.`
    : 'Nothing is sent until FORGE_TELEMETRY_URL is set on the server.'
  return { key: 'telemetry:enabled', label: 'Send anonymous usage statistics', help }
}

export const mailText = 'This option requires email to be configured'
export const termsText = 'A URL for the Terms & Conditions must be set.'

/** Returns the errors by setting [TCS-07]. */
export function faultsOf(settings: Partial<PlatformSettings>): Record<string, string> {
  return { ...termsFaults(settings), ...trialFaults(settings) }
}

function termsFaults(settings: Partial<PlatformSettings>): Record<string, string> {
  const url = settings['user:tcs-url'] ?? ''
  if (url !== '' && !/^https?:\/\/\S+$/.test(url)) return { 'user:tcs-url': 'Enter a web address' }
  return settings['user:tcs-required'] && url === '' ? { 'user:tcs-url': termsText } : {}
}

const mostTrialDays = 3650

/** Whether the settings of trials are offered: a trial begins with a personal team. */
export const offersTrial = (settings: Partial<PlatformSettings>): boolean =>
  settings.features?.['billing'] === true && settings['user:team:auto-create'] === true

function trialFaults(settings: Partial<PlatformSettings>): Record<string, string> {
  if (!offersTrial(settings) || !settings['user:team:trial-mode']) return {}
  const { 'user:team:trial-mode:duration': days = 0, 'user:team:trial-mode:projectType': type } = settings
  const isLength = Number.isInteger(days) && days >= 1 && days <= mostTrialDays
  return {
    ...(isLength ? {} : { 'user:team:trial-mode:duration': `Enter 1 to ${mostTrialDays} days` }),
    ...(type ? {} : { 'user:team:trial-mode:projectType': 'Choose an instance type' }),
  }
}

/** Only what differs is sent [ASET-13]. */
export function changesOf<T extends object>(saved: T, edited: Partial<T>): Partial<T> {
  return Object.fromEntries(
    Object.entries(edited).filter(([key, value]) => value !== saved[key as keyof T]),
  ) as Partial<T>
}
