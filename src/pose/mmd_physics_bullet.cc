// The only file that knows Bullet. Inside it lengths are in units of the file, as MikuMikuDance has
// them: collision margins and sleeping thresholds of Bullet are made for things of that size.
#ifdef FLEXOR_WITH_BULLET

#include <algorithm>
#include <cmath>
#include <vector>

#include <btBulletDynamicsCommon.h>

#include "pose/mmd_world.h"

namespace flexor::pose {
namespace {

using asset::MmdBody;
using asset::MmdJoint;
using asset::MmdJointKind;
using asset::MmdShape;

constexpr int kGroundGroup = 1 << 16;  // beyond the sixteen groups of the format

btVector3 ToBullet(Vec3d v) { return {v.x, v.y, v.z}; }
btQuaternion ToBullet(Quatd q) { return {q.x, q.y, q.z, q.w}; }
Vec3d FromBullet(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
Quatd FromBullet(const btQuaternion& q) { return {q.x(), q.y(), q.z(), q.w()}; }

// Bullet asks a kinematic body where it is, and tells a dynamic one.
class BodyState final : public btMotionState {
 public:
  explicit BodyState(const btTransform& start) : place(start) {}
  void getWorldTransform(btTransform& out) const override { out = place; }
  void setWorldTransform(const btTransform& in) override { place = in; }
  btTransform place;
};

std::unique_ptr<btCollisionShape> MakeShape(const MmdBody& body, double scale) {
  const Vec3d size = body.size * scale;
  switch (body.shape) {
    case MmdShape::kSphere:
      return std::make_unique<btSphereShape>(size.x);
    case MmdShape::kBox:
      return std::make_unique<btBoxShape>(ToBullet(size));
    case MmdShape::kCapsule:
      return std::make_unique<btCapsuleShape>(size.x, size.y);
  }
  return std::make_unique<btSphereShape>(size.x);
}

struct Frames {
  btTransform a, b;
};

std::unique_ptr<btTypedConstraint> MakeSixDof(const MmdJoint& joint, btRigidBody& a, btRigidBody& b,
                                              const Frames& frames, double scale) {
  const auto limit = [&](btGeneric6DofConstraint& constraint) {
    constraint.setLinearLowerLimit(ToBullet(joint.translation_min * scale));
    constraint.setLinearUpperLimit(ToBullet(joint.translation_max * scale));
    constraint.setAngularLowerLimit(ToBullet(joint.rotation_min));
    constraint.setAngularUpperLimit(ToBullet(joint.rotation_max));
  };
  if (joint.kind == MmdJointKind::k6Dof) {
    auto plain = std::make_unique<btGeneric6DofConstraint>(a, b, frames.a, frames.b, true);
    limit(*plain);
    return plain;
  }
  auto spring = std::make_unique<btGeneric6DofSpringConstraint>(a, b, frames.a, frames.b, true);
  limit(*spring);
  for (int axis = 0; axis < 3; ++axis) {
    const double along = joint.spring_translation[static_cast<std::size_t>(axis)];
    const double about = joint.spring_rotation[static_cast<std::size_t>(axis)] * scale * scale;
    if (along != 0) {
      spring->enableSpring(axis, true);
      spring->setStiffness(axis, along);
    }
    if (about != 0) {
      spring->enableSpring(axis + 3, true);
      spring->setStiffness(axis + 3, about);
    }
  }
  spring->setEquilibriumPoint();
  return spring;
}

// The kinds of PMX 2.1. No program is known whose readings of these limits could be compared.
std::unique_ptr<btTypedConstraint> MakeJoint(const MmdJoint& joint, btRigidBody& a, btRigidBody& b,
                                             const Frames& frames, double scale) {
  const Vec3d low = joint.rotation_min, high = joint.rotation_max;
  switch (joint.kind) {
    case MmdJointKind::kSpring6Dof:
    case MmdJointKind::k6Dof:
      break;
    case MmdJointKind::kPointToPoint:
      return std::make_unique<btPoint2PointConstraint>(a, b, frames.a.getOrigin(),
                                                       frames.b.getOrigin());
    case MmdJointKind::kConeTwist: {
      auto cone = std::make_unique<btConeTwistConstraint>(a, b, frames.a, frames.b);
      const auto span = [](double x, double y) { return std::max(std::abs(x), std::abs(y)); };
      cone->setLimit(span(low.z, high.z), span(low.y, high.y), span(low.x, high.x));
      return cone;
    }
    case MmdJointKind::kSlider: {
      auto slider = std::make_unique<btSliderConstraint>(a, b, frames.a, frames.b, true);
      slider->setLowerLinLimit(joint.translation_min.x * scale);
      slider->setUpperLinLimit(joint.translation_max.x * scale);
      slider->setLowerAngLimit(low.x);
      slider->setUpperAngLimit(high.x);
      return slider;
    }
    case MmdJointKind::kHinge: {
      // Bullet turns hinges about z; the format keeps their limits in x, which the mirroring of Z
      // has turned round although the angle about z itself keeps its sign.
      auto hinge = std::make_unique<btHingeConstraint>(a, b, frames.a, frames.b, true);
      hinge->setLimit(-high.x, -low.x);
      return hinge;
    }
  }
  return MakeSixDof(joint, a, b, frames, scale);
}

class BulletWorld final : public MmdWorld {
 public:
  BulletWorld(const asset::MmdRig& rig, const MmdPhysicsSettings& settings,
              std::span<const BodyPlace> places)
      : scale_(1 / rig.metres_per_unit),
        step_(1 / settings.steps_per_second),
        dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &solver_, &configuration_) {
    world_.setGravity({0, -settings.gravity, 0});
    world_.getSolverInfo().m_numIterations = settings.solver_iterations;
    if (settings.ground) AddGround();
    for (std::size_t i = 0; i < rig.bodies.size(); ++i) AddBody(rig.bodies[i], places[i]);
    for (const MmdJoint& joint : rig.joints) AddJoint(joint, rig);
  }

  ~BulletWorld() override {
    for (const auto& joint : joints_) world_.removeConstraint(joint.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
    if (ground_ != nullptr) world_.removeRigidBody(ground_.get());
  }
  BulletWorld(const BulletWorld&) = delete;
  BulletWorld& operator=(const BulletWorld&) = delete;

  void Move(std::size_t body, const BodyPlace& place) override {
    states_[body]->place = ToBullet(place);
  }

  void Put(std::size_t body, const BodyPlace& place) override {
    const btTransform to = ToBullet(place);
    btRigidBody& moved = *bodies_[body];
    moved.setWorldTransform(to);
    moved.setInterpolationWorldTransform(to);
    states_[body]->place = to;
  }

  BodyPlace Place(std::size_t body) const override {
    const btTransform& at = bodies_[body]->getWorldTransform();
    return {FromBullet(at.getRotation()), FromBullet(at.getOrigin()) / scale_};
  }

  BodyMotion Motion(std::size_t body) const override {
    const btRigidBody& moving = *bodies_[body];
    const btMatrix3x3& basis = moving.getWorldTransform().getBasis();
    return {{FromBullet(basis.getColumn(0)), FromBullet(basis.getColumn(1)),
             FromBullet(basis.getColumn(2))},
            FromBullet(moving.getWorldTransform().getOrigin()),
            FromBullet(moving.getLinearVelocity()),
            FromBullet(moving.getAngularVelocity())};
  }

  void SetMotion(std::size_t body, const BodyMotion& motion) override {
    const Mat3d& m = motion.rotation;
    const btTransform to(btMatrix3x3(m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z),
                         ToBullet(motion.position));
    btRigidBody& moving = *bodies_[body];
    moving.setLinearVelocity(ToBullet(motion.velocity));
    moving.setAngularVelocity(ToBullet(motion.spin));
    moving.setCenterOfMassTransform(to);  // with the inertia that goes with it
    moving.setInterpolationWorldTransform(to);
    states_[body]->place = to;
  }

  void Push(const asset::MmdMorph::Impulse& impulse, double weight) override {
    btRigidBody& body = *bodies_[impulse.body];
    if (body.isStaticOrKinematicObject()) return;
    btVector3 velocity = ToBullet(impulse.velocity * (weight * scale_));
    btVector3 torque = ToBullet(impulse.torque * (weight * scale_ * scale_));
    if (impulse.local) {
      velocity = body.getWorldTransform().getBasis() * velocity;
      torque = body.getWorldTransform().getBasis() * torque;
    }
    body.setLinearVelocity(body.getLinearVelocity() + velocity);
    body.applyTorqueImpulse(torque);
  }

  void Step() override { world_.stepSimulation(step_, 0); }

 private:
  btTransform ToBullet(const BodyPlace& place) const {
    return btTransform(pose::ToBullet(place.rotation), pose::ToBullet(place.position * scale_));
  }
  static btVector3 ToBullet(Vec3d v) { return pose::ToBullet(v); }

  void AddGround() {
    ground_shape_ = std::make_unique<btStaticPlaneShape>(btVector3{0, 1, 0}, 0);
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, ground_shape_.get());
    ground_ = std::make_unique<btRigidBody>(info);
    world_.addRigidBody(ground_.get(), kGroundGroup, 0xffff);
  }

  void AddBody(const MmdBody& body, const BodyPlace& place) {
    const bool follows = FollowsBone(body);
    shapes_.push_back(MakeShape(body, scale_));
    states_.push_back(std::make_unique<BodyState>(ToBullet(place)));
    btVector3 inertia(0, 0, 0);
    const double mass = follows ? 0 : body.mass;
    if (!follows) shapes_.back()->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, states_.back().get(), shapes_.back().get(),
                                                  inertia);
    info.m_linearDamping = std::clamp(body.linear_damping, 0.0, 1.0);
    info.m_angularDamping = std::clamp(body.angular_damping, 0.0, 1.0);
    info.m_restitution = body.restitution;
    info.m_friction = body.friction;
    info.m_additionalDamping = true;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& added = *bodies_.back();
    if (follows) {
      added.setCollisionFlags(added.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    }
    added.setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(&added, 1 << body.group, body.collides_with | kGroundGroup);
  }

  void AddJoint(const MmdJoint& joint, const asset::MmdRig& rig) {
    btRigidBody& a = *bodies_[joint.body_a];
    btRigidBody& b = *bodies_[joint.body_b];
    if (&a == &b) return;  // holds nothing
    // Frames as at rest: a character that starts in another pose is pulled to them.
    const auto at_rest = [&](const MmdBody& body) {
      return ToBullet(BodyPlace{body.rotation, body.position});
    };
    const btTransform place = ToBullet(BodyPlace{joint.rotation, joint.position});
    const Frames frames{at_rest(rig.bodies[joint.body_a]).inverse() * place,
                        at_rest(rig.bodies[joint.body_b]).inverse() * place};
    joints_.push_back(MakeJoint(joint, a, b, frames, scale_));
    world_.addConstraint(joints_.back().get());
  }

  double scale_, step_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<BodyState>> states_;
  std::unique_ptr<btCollisionShape> ground_shape_;
  btDiscreteDynamicsWorld world_;
  std::unique_ptr<btRigidBody> ground_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btTypedConstraint>> joints_;
};

}  // namespace

bool HasMmdPhysics() { return true; }

std::unique_ptr<MmdWorld> MakeMmdWorld(const asset::MmdRig& rig, const MmdPhysicsSettings& settings,
                                       std::span<const BodyPlace> places) {
  return std::make_unique<BulletWorld>(rig, settings, places);
}

}  // namespace flexor::pose

#endif
