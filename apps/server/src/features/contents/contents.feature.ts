import { defineFeature } from '../../platform/features/feature.ts'
import { type ContentsService, createContents } from './contents.service.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    contents: ContentsService
  }
}

export const contentsFeature = defineFeature({
  name: 'contents',
  provides: { contents: createContents },
})
