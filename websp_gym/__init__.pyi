"""The public names of the package, with their homes; read when the package is imported."""

from .actions import register_action as register_action
from .agents import Agent as Agent
from .agents import Briefing as Briefing
from .agents import Turn as Turn
from .agents import make_agent as make_agent
from .env.environment import WebspEnv as WebspEnv
from .env.options import Options as Options
from .env.registration import make_env as make_env
from .env.registration import make_vector_env as make_vector_env
from .env.registration import register_envs as register_envs
from .errors import ActionError as ActionError
from .errors import JudgeError as JudgeError
from .errors import ModelError as ModelError
from .errors import ReplayError as ReplayError
from .errors import SetupError as SetupError
from .errors import WebspError as WebspError
from .errors import WorldError as WorldError
from .models import Image as Image
from .models import Message as Message
from .models import Text as Text
from .models import make_model as make_model
from .records.load import load_trajectory as load_trajectory
from .records.results import Result as Result
from .records.trajectory import Trajectory as Trajectory
from .records.verdict import Verdict as Verdict
from .rollouts import Pool as Pool
from .runner.batch import run_episode as run_episode
from .scoring.judge import Judge as Judge
from .scoring.solved_at_start import balance_solved as balance_solved
from .scoring.solved_at_start import solved_at_start as solved_at_start
from .scoring.solved_at_start import without_solved as without_solved
from .scoring.truth import state_verdict_of_record as state_verdict_of_record
from .tasks import DATASET_VERSION as DATASET_VERSION
from .tasks.ids import instance_ids as instance_ids
from .tasks.instances import Instance as Instance
from .tasks.instances import load_instance as load_instance
from .tasks.splits import split_ids as split_ids
from .world import make_world as make_world

__all__: list[str]
__version__: str
