// The part of Chrome's extension API that the recorder uses, for the checker only.

declare namespace chrome {
  interface Signal<Listener extends (...args: any[]) => unknown> { addListener(listener: Listener): void }

  namespace runtime {
    const id: string | undefined;
    interface MessageSender { tab?: tabs.Tab; frameId?: number; documentId?: string; origin?: string; url?: string }
    interface Port {
      name: string;
      sender?: MessageSender;
      postMessage(message: unknown): void;
      disconnect(): void;
      onMessage: Signal<(message: any) => void>;
      onDisconnect: Signal<() => void>;
    }
    const onConnect: Signal<(port: Port) => void>;
    const onMessage: Signal<(message: unknown, sender: MessageSender, respond: (value: unknown) => void) => boolean | void>;
    function connect(info: { name: string }): Port;
    function sendMessage(message: unknown): Promise<any>;
    function getManifest(): { version: string; content_scripts?: { js: string[] }[] };
  }

  namespace storage {
    interface Area {
      get(key: string): Promise<Record<string, any>>;
      set(values: Record<string, unknown>): Promise<void>;
      remove(key: string): Promise<void>;
    }
    const local: Area;
    const session: Area;
    const onChanged: Signal<(changes: Record<string, { newValue?: any }>, area: string) => void>;
  }

  namespace tabs {
    interface Tab {
      id?: number; windowId: number; url?: string; pendingUrl?: string; title?: string; openerTabId?: number;
      active: boolean; width?: number; height?: number;
    }
    function get(id: number): Promise<Tab>;
    function query(query: { active?: boolean; lastFocusedWindow?: boolean; currentWindow?: boolean }): Promise<Tab[]>;
    function sendMessage(id: number, message: unknown): Promise<any>;
    function captureVisibleTab(window: number, options: { format: 'png' }): Promise<string>;
    const onCreated: Signal<(tab: Tab) => void>;
  }

  namespace webNavigation {
    interface Transition {
      tabId: number; frameId: number; url: string; timeStamp: number; transitionType: string; transitionQualifiers: string[];
    }
    const onCommitted: Signal<(details: Transition) => void>;
    const onHistoryStateUpdated: Signal<(details: Transition) => void>;
    const onReferenceFragmentUpdated: Signal<(details: Transition) => void>;
    const onCompleted: Signal<(details: { tabId: number; frameId: number }) => void>;
    const onCreatedNavigationTarget: Signal<(details: { sourceTabId: number; tabId: number }) => void>;
  }

  namespace scripting {
    interface Target { tabId: number; allFrames?: boolean; frameIds?: number[] }
    function executeScript(injection: { target: Target; files?: string[]; func?: () => unknown; world?: 'MAIN' }): Promise<{ frameId: number; result?: unknown }[]>;
  }

  namespace action {
    function setBadgeText(details: { text: string }): Promise<void>;
    function setBadgeBackgroundColor(details: { color: string }): Promise<void>;
    function setTitle(details: { title: string }): Promise<void>;
  }

  namespace downloads {
    function download(options: { url: string; filename: string; saveAs?: boolean }): Promise<number>;
  }
}
